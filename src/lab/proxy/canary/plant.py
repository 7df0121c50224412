#!/usr/bin/env python3
"""Plants a bug: writes a copy of a product file with some of its text replaced.

    plant.py NAME SOURCE_DIRECTORY OUT

A text that is no longer there is an error: then the bug must be planted anew.
"""
import sys

BUGS = {
    # A cancelled request's unit is never given back.
    "ticket_not_returned": ("proxy/exchange.cc", [(
        "  ticket_.finish(outcome",
        "  static std::vector<Ticket> lost;\n"
        "  if (outcome == Outcome::kCancelled) return lost.push_back(std::move(ticket_));\n"
        "  ticket_.finish(outcome")]),
    # What may not be repeated is, when a kept connection dies.
    "post_sent_again": ("proxy/exchange.cc", [(
        "return idempotent && head_.framing == http::Framing::kNone",
        "return idempotent || head_.framing != http::Framing::kChunked")]),
    # The pool does not notice that an idle connection has ended.
    "half_closed_connection_kept": ("upstream/connection_pool.cc", [
        ("if (stream.has_received() || (surely_quiet && !stream.is_quiet())) continue;",
         "if (stream.has_received()) static_cast<void>(stream.take_received());\n"
         "    static_cast<void>(surely_quiet);"),
        ("  detach(list, static_cast<std::size_t>(at - list.begin()));\n", "")]),
    # Whoever gives back one of two references gives back the block.
    "buffer_given_back_twice": ("io/buffer.cc", [(
        "--block_->references == 0", "--block_->references <= 1")]),
}


def main():
    name, source, out = sys.argv[1:]
    path, edits = BUGS[name]
    with open(f"{source}/{path}", encoding="utf-8") as file:
        text = file.read()
    for old, new in edits:
        if old not in text:
            sys.exit(f"canary {name}: '{old}' is not in {path} any more: plant the bug anew")
        text = text.replace(old, new)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)


main()

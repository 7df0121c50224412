// Service: the running proxy. Starts the workers, gathers what they report, ends them gently.
//
// Owner: main. Thread: the control loop's. The configuration is fixed for its life.
#pragma once

#include <memory>

#include "admin/admin_server.h"
#include "service/worker_thread.h"

namespace evener::service {

class Service {
 public:
  // Workers listen and admin answers when this returns. The error says what to do.
  static std::expected<std::unique_ptr<Service>, std::string> start(io::Loop& control,
                                                                    proxy::ConfigPtr config,
                                                                    std::uint64_t seed);

  // One per configured listener, with the ports the kernel chose.
  const std::vector<io::Address>& addresses() const { return addresses_; }
  const std::optional<io::Address>& admin_address() const { return admin_address_; }
  std::string_view engine() const { return workers_.front()->started().engine; }
  std::string_view engine_note() const { return workers_.front()->started().engine_note; }
  std::size_t workers() const { return workers_.size(); }

  // Calls back on the control loop.
  void snapshot(std::move_only_function<void(admin::Snapshot)> answer);
  // Stops accepting and lets exchanges end within config's drain time; then calls back.
  void drain(std::move_only_function<void()> done);

 private:
  explicit Service(io::Loop& control) : control_(control) {}

  io::Loop& control_;
  proxy::ConfigPtr config_;
  std::vector<io::Address> addresses_;
  std::optional<io::Address> admin_address_;
  std::vector<std::unique_ptr<WorkerThread>> workers_;
  std::unique_ptr<admin::AdminServer> admin_;
};

}  // namespace evener::service

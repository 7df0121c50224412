// The base folder's name for the public Rng (evener/rng.h).
#pragma once

#include <evener/rng.h>

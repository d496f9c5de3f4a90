// page.h: the player, bundled into one HTML page. "<!--title-->" stands where the title goes,
// "<!--recordings-->" where the recordings do. Its length is 0 if perp was built without it.
#pragma once

#include <stddef.h>

extern const unsigned char player_page[];
extern const size_t player_page_length;
extern const char player_missing[];   // why there is none

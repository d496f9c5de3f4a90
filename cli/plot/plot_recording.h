// plot_recording.h: what a recording says about its steps, as curves over time.
#pragma once

#include "command.h"
#include "recording.h"

int plot_recordings(const arguments *args, const char *path);   // 0, or an exit code

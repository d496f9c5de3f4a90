// plot_table.h: the columns of a table as curves.
#pragma once

#include "command.h"

int plot_table(const arguments *args, const char *path);   // 0, or an exit code

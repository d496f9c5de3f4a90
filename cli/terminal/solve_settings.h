// solve_settings.h: from the command line to perp_options, through the library's own tables.
#pragma once

#include "command.h"

// Sets every parameter that was given; returns 0 or an exit code after having said what is wrong.
int settings_apply(const arguments *args, const perp_method *method, perp_options *options);

// --start pgs:10: what runs in front of the method.
int settings_start(const char *text, perp_options *options);

int settings_seed(const char *text, uint64_t *seed);   // --seed of gen, run and reproduce

// Options of a command's own rows. One that is not given leaves the value as it is; what is wrong
// with it is said, and is an exit code.
int settings_number(const arguments *args, const char *name, double low, double high,
                    double *value);
int settings_whole(const arguments *args, const char *name, int64_t low, int64_t high,
                   int64_t *value);
int settings_choice(const arguments *args, const char *name, int32_t *index);   // of its words
// Two whole numbers, both in [low, high]; `form` shows how to write them: "1280x720".
int settings_size(const arguments *args, const char *name, const char *form, int32_t low,
                  int32_t high, int32_t size[2]);

// A parameter of a family as the user typed it: a number in its range, or one of the words.
int settings_quantity(const option_entry *entry, const char *text, double *value);

// Threads where no number was asked for: one for each processor, at most 16.
int32_t settings_threads(void);

int settings_given(const arguments *args, const char *parameter);   // 1 if the user set it
int exit_code_of(perp_error error);
int exit_code_of_status(perp_status status);
int fail_library(
    perp_error error);   // says what the library's last message was; returns the exit code

// text.h: text for people: wrapping at 80 columns, readable numbers, and colour on terminals.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_WIDTH = 80 };

// Prints words up to column TEXT_WIDTH, continuation lines indented; `column` is where the pen is.
// A newline in the text starts a new line, two start a paragraph. Ends with a newline. Formulas and
// ranges such as y = A x + b and [0, 1] stay on one line.
// A line that begins with blanks is indented by them, and printed as it is if it fits.
// A command in quotation marks stays on one line, too, to be copied.
void text_wrap(FILE *out, const char *text, int column, int margin);
void text_wrap_to(FILE *out, const char *text, int column, int margin, int width);   // columns
int text_columns(FILE *out);   // of the terminal; 0: it is none, or does not say

// "label       text", wrapped: a row of a report, of help or of a table with two columns.
void text_row(FILE *out, int indent, const char *label, int column, const char *text);

// Names and text from files may hold any bytes. When shown, they must not act on a terminal, end a
// line, or change the direction of writing. So control characters, bytes that are not UTF-8, and
// Unicode marks for lines and directions are shown as \n, \x1b or \u202e.
enum { TEXT_UNIT = 12 };
// The next character of the text, which must not be at its end, or what is shown in its place.
const char *text_next(const char **text, char unit[TEXT_UNIT]);
// All of it, as far as it fits; returns out.
const char *text_visible(const char *text, char *out, size_t size);

// A name as a word of a command that can be copied into a shell: nothing in it is interpreted, and it
// is not taken for an option. Plain names stay as they are. A name that is too long is NAME.
typedef struct text_word { char text[512]; } text_word;
const char *text_shell(const char *name, text_word *word);

// Numbers into a buffer, which is returned.
typedef struct text_buffer { char text[96]; } text_buffer;
const char *text_number(double value, text_buffer *buffer);    // "1e-08", "inf"
const char *text_seconds(double seconds, text_buffer *buffer); // "3.2 ms", "2 min 05 s"
const char *text_range(double low, double high, int low_open, int high_open,
                       text_buffer *buffer);   // "(0, 2)"
const char *text_limits(double low, double high, int low_open, int high_open,
                        text_buffer *buffer);   // "in (0, 2)", "at least 1"

// "1 entry", "2 entries"
const char *text_count(int64_t count, const char *one, const char *many, text_buffer *buffer);

// Appends, never past the end of the buffer.
void text_append(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Colour: on a terminal, unless NO_COLOR is set, TERM is dumb or --no-color was given.
typedef enum text_colour { TEXT_PLAIN, TEXT_BOLD, TEXT_GOOD, TEXT_BAD } text_colour;
void text_no_colour(void);
const char *text_paint(FILE *out, text_colour colour);   // an escape sequence, or ""

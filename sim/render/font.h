// font.h: letters as strokes.
#pragma once

// The strokes of a character as points x y of a grid: capitals reach from y = 0 to 12, small
// letters from 4, tails end at 15. '-' begins straight lines, '~' a curve, 'o' a closed curve: a
// quadratic spline with these control points. Hexadecimal digits.
const char *font_strokes(char what);

/* Columns of entities: JSON lists of spans in characters, or a tag for each word. */

#include "common.h"
#include "span_order.h"
#include "text_bytes.h"

/* A place in a text, which moves forward: the byte, the number of characters and of words that
 * begin before it, and whether the character before it is part of a word. */
typedef struct {
    const uint8_t *at;
    int64_t characters, words;
    bool within;
} Place;

/* The names of classes and a hash table of them: slots have the number of a class plus one. */
typedef struct {
    const uint8_t *values;
    int64_t *names;
    int64_t count;
    int32_t *slots;
    uint64_t mask;
} Classes;

/* What is read: the rest of the value and of the text of a row, and the spans so far. Bytes from
 * `end` on are after the last text. */
typedef struct {
    const uint8_t *value, *text, *end;
    int32_t *span;
    int32_t *around; /* room for the ends of all spans of a row */
    Classes classes;
} Reader;

/* Move over one character, which is not the end of the text. */
static void step(Place *place) {
    int64_t space = white_space(place->at);
    place->words += !space && !place->within;
    place->within = !space;
    place->characters++;
    do {
        place->at++;
    } while ((*place->at & 0xC0) == 0x80);
}

/* Move over eight characters if all of them are spaces or ASCII characters above the space. */
static bool step_eight(Place *place) {
    const uint64_t ones = 0x0101010101010101u, highest = 0x80 * ones, space = 0x20 * ones;
    uint64_t bytes = load_eight(place->at);
    /* The highest bit of each byte: whether it is below 0x20, and whether it is another character
     * than the space. */
    uint64_t below = (bytes - space) & ~bytes;
    uint64_t letters = (((bytes ^ space) & ~highest) + 0x7F * ones) & highest;
    if ((bytes | below) & highest) {
        return false;
    }
    uint64_t before = letters << 8 | (place->within ? 0x80 : 0);
    place->words += count_bits(letters & ~before);
    place->within = letters >> 63;
    place->characters += 8;
    place->at += 8;
    return true;
}

/* Move forward to a number of characters; false if the text ends before. */
static bool move(Place *place, const uint8_t *end, int64_t characters) {
    while (place->characters < characters) {
        if (characters - place->characters >= 8 && end - place->at >= 8 && step_eight(place)) {
            continue;
        }
        if (!*place->at) {
            return false;
        }
        step(place);
    }
    return true;
}

/* Return how many words end at a place or before it. */
static int64_t ended_words(const Place *place) {
    bool inside = place->within && *place->at && !white_space(place->at);
    return place->words - inside;
}

/* Return the number of the class with this name; a new one if there is none yet. */
static int32_t class_of(Classes *classes, const uint8_t *name, int64_t length) {
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (int64_t k = 0; k < length; k++) {
        hash = (hash ^ name[k]) * 0x100000001B3u;
    }
    for (uint64_t slot = (hash ^ hash >> 32) & classes->mask;; slot = (slot + 1) & classes->mask) {
        int32_t number = classes->slots[slot] - 1;
        if (number < 0) {
            classes->names[2 * classes->count] = name - classes->values;
            classes->names[2 * classes->count + 1] = length;
            classes->slots[slot] = (int32_t)++classes->count;
            return (int32_t)classes->count - 1;
        }
        if (classes->names[2 * number + 1] == length &&
            !memcmp(classes->values + classes->names[2 * number], name, (size_t)length)) {
            return number;
        }
    }
}

static void add_span(Reader *reader, int64_t start, int64_t end, const uint8_t *name,
                     int64_t length) {
    reader->span[0] = (int32_t)start;
    reader->span[1] = (int32_t)end;
    reader->span[2] = class_of(&reader->classes, name, length);
    reader->span += MISWORD_SPAN;
}

/* Move over white space of JSON, then over a character; false if another character is there. */
static bool take(Reader *reader, uint8_t character) {
    const uint8_t *at = reader->value;
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
        at++;
    }
    reader->value = at + (*at == character && character);
    return *at == character;
}

/* Read a number of at most nine digits. */
static bool take_number(Reader *reader, int64_t *number) {
    take(reader, 0);
    const uint8_t *first = reader->value, *at = first;
    for (*number = 0; *at >= '0' && *at <= '9' && at - first < 10; at++) {
        *number = 10 * *number + *at - '0';
    }
    reader->value = at;
    return at > first && at - first < 10 && (*first != '0' || at == first + 1);
}

/* Read a string of at least one byte, without escapes. */
static bool take_string(Reader *reader, const uint8_t **name, int64_t *length) {
    if (!take(reader, '"')) {
        return false;
    }
    *name = reader->value;
    while (*reader->value >= ' ' && *reader->value != '"' && *reader->value != '\\') {
        reader->value++;
    }
    *length = reader->value - *name;
    return *length && take(reader, '"');
}

/* Read one span in characters. `place` is where the last one began. */
static bool read_span(Reader *reader, Place *place) {
    int64_t begin, end, length;
    const uint8_t *name;
    if (!(take(reader, '[') && take_number(reader, &begin) && take(reader, ',') &&
          take_number(reader, &end) && take(reader, ',') && take_string(reader, &name, &length) &&
          take(reader, ']') && begin < end)) {
        return false;
    }
    if (begin < place->characters) {
        *place = (Place){.at = reader->text};
    }
    if (!move(place, reader->end, begin)) {
        return false;
    }
    int64_t first = ended_words(place);
    Place last = *place;
    if (!move(&last, reader->end, end) || first >= last.words) {
        return false;
    }
    add_span(reader, first, last.words, name, length);
    return true;
}

/* Read a list of spans in characters. */
static bool read_list(Reader *reader) {
    Place place = {.at = reader->text};
    bool more = take(reader, '[');
    if (more && take(reader, ']')) {
        more = false;
    }
    while (more) {
        if (!read_span(reader, &place)) {
            return false;
        }
        more = take(reader, ',');
        if (!more && !take(reader, ']')) {
            return false;
        }
    }
    take(reader, 0);
    return !*reader->value;
}

/* Return the number of words of a text. */
static int64_t count_words(const uint8_t *text, const uint8_t *end) {
    Place place = {.at = text};
    move(&place, end, INT64_MAX);
    return place.words;
}

/* A tag: its letter, and the name of its class. */
typedef struct {
    uint8_t letter;
    const uint8_t *name;
    int64_t length;
} Tag;

/* Read the next tag; false if it is none. White space before it was read. */
static bool take_tag(Reader *reader, Tag *tag) {
    const uint8_t *at = reader->value;
    while (*reader->value && !white_space(reader->value)) {
        reader->value++;
    }
    int64_t size = reader->value - at;
    if (size == 1) {
        *tag = (Tag){.letter = 'O'};
        return *at == 'O';
    }
    *tag = (Tag){*at, at + 2, size - 2};
    return size > 2 && at[1] == '-' && *at && strchr("BIESLU", *at);
}

/* Move over white space; false at the end of the value. */
static bool next_tag(Reader *reader) {
    for (int64_t size; (size = white_space(reader->value));) {
        reader->value += size;
    }
    return *reader->value;
}

/* Read a tag for each word: as in the evaluation of CoNLL, I-X after another class begins a span.
 */
static bool read_tags(Reader *reader) {
    Tag tag, open = {0};
    int64_t place = 0, start = 0;
    for (; next_tag(reader); place++) {
        if (!take_tag(reader, &tag)) {
            return false;
        }
        bool same = tag.length == open.length &&
                    (!tag.length || !memcmp(tag.name, open.name, (size_t)tag.length));
        bool begins = !same || tag.letter == 'B' || tag.letter == 'S' || tag.letter == 'U';
        if (open.length && begins) {
            add_span(reader, start, place, open.name, open.length);
        }
        if (begins) {
            start = place;
            open = tag;
        }
        if (tag.letter == 'E' || tag.letter == 'L' || tag.letter == 'S' || tag.letter == 'U') {
            add_span(reader, start, place + 1, open.name, open.length);
            open = (Tag){0};
        }
    }
    if (open.length) {
        add_span(reader, start, place, open.name, open.length);
    }
    return place == count_words(reader->text, reader->end);
}

/* Read one row. If it cannot be read, its spans are given up, but not its classes. */
static bool read_row(Reader *reader) {
    int32_t *first = reader->span;
    if (!*reader->value) {
        return true;
    }
    take(reader, 0);
    bool read = *reader->value == '[' ? read_list(reader) : read_tags(reader);
    if (read && reader->span > first + MISWORD_SPAN) {
        read = order_spans(first, &reader->span, reader->around);
    }
    if (!read) {
        reader->span = first;
    }
    return read;
}

/* Return the byte after the row that begins at an address. */
static const uint8_t *next_row(const uint8_t *row) { return row + strlen((const char *)row) + 1; }

int misword_read_spans(const uint8_t *values, const uint8_t *texts, int64_t size, int64_t rows,
                       int64_t room, int32_t *spans, int64_t *span_at, uint8_t *unread,
                       int64_t *names, int64_t *classes) {
    int64_t slots = 4;
    if (room > INT32_MAX / 2) {
        return MISWORD_TOO_LARGE;
    }
    while (slots < 2 * room) {
        slots *= 2;
    }
    Reader reader = {.end = texts + size,
                     .span = spans,
                     .classes = {.values = values, .names = names, .mask = (uint64_t)slots - 1}};
    reader.classes.slots = allocate_zeros(slots, 1, sizeof *reader.classes.slots);
    reader.around = allocate(room, sizeof *reader.around);
    int status = reader.classes.slots && reader.around ? MISWORD_OK : MISWORD_NO_MEMORY;
    span_at[0] = 0;
    for (int64_t row = 0; row < rows && status == MISWORD_OK; row++) {
        reader.value = values;
        reader.text = texts;
        unread[row] = !read_row(&reader);
        span_at[row + 1] = (reader.span - spans) / MISWORD_SPAN;
        values = next_row(values);
        texts = next_row(texts);
    }
    *classes = reader.classes.count;
    free(reader.classes.slots);
    free(reader.around);
    return status;
}

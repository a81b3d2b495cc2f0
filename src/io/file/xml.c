// SPDX-License-Identifier: Apache-2.0
#include "io/file/xml.h"

#include "base/number.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static void skip_blanks(pli_xml *xml)
{
    while (xml->at < xml->end && is_blank(*xml->at)) ++xml->at;
}

static pli_slice take_name(pli_xml *xml)
{
    pli_slice name = {xml->at, 0};
    while (xml->at < xml->end && is_name(*xml->at)) ++xml->at;
    name.length = xml->at - name.bytes;
    return name;
}

static bool accept(pli_xml *xml, char wanted)
{
    if (xml->at == xml->end || *xml->at != wanted) return false;
    ++xml->at;
    return true;
}

void pli_xml_init(pli_xml *xml, const char *bytes, int64_t count)
{
    *xml = (pli_xml){.at = bytes, .end = bytes + count};
}

// Goes behind the next occurrence of a text; false when there is none.
static bool skip_past(pli_xml *xml, const char *text)
{
    size_t length = strlen(text);
    const char *found = memmem(xml->at, (size_t)(xml->end - xml->at), text, length);
    if (found == NULL) return false;
    xml->at = found + length;
    return true;
}

// Goes behind the '<' of the next real tag. False: there is none, or something skipped never ends.
static bool find_tag(pli_xml *xml)
{
    while (skip_past(xml, "<")) {
        bool comment = xml->end - xml->at >= 3 && memcmp(xml->at, "!--", 3) == 0;
        bool other = xml->at < xml->end && (*xml->at == '?' || *xml->at == '!');
        if (!comment && !other) return true;
        if (!skip_past(xml, comment ? "-->" : ">")) {
            xml->broken = true;
            return false;
        }
    }
    return false;
}

// Reads key="value" into the next place of the tag.
static bool take_attribute(pli_xml *xml, pli_xml_tag *tag)
{
    if (tag->attribute_count == PLI_XML_ATTRIBUTES) return false;
    pli_slice key = take_name(xml);
    skip_blanks(xml);
    if (key.length == 0 || !accept(xml, '=')) return false;
    skip_blanks(xml);
    if (xml->at == xml->end || (*xml->at != '"' && *xml->at != '\'')) return false;
    char quote = *xml->at++;
    const char *close = memchr(xml->at, quote, (size_t)(xml->end - xml->at));
    if (close == NULL) return false;

    tag->keys[tag->attribute_count] = key;
    tag->values[tag->attribute_count++] = (pli_slice){xml->at, close - xml->at};
    xml->at = close + 1;
    return true;
}

static bool take_tag(pli_xml *xml, pli_xml_tag *tag)
{
    tag->closing = accept(xml, '/');
    tag->name = take_name(xml);
    if (tag->name.length == 0) return false;
    for (;;) {
        skip_blanks(xml);
        tag->empty = accept(xml, '/');
        if (accept(xml, '>')) break;
        if (tag->empty || !take_attribute(xml, tag)) return false;
    }
    tag->end = xml->at;
    return true;
}

bool pli_xml_next(pli_xml *xml, pli_xml_tag *tag)
{
    memset(tag, 0, sizeof *tag);
    if (xml->broken || !find_tag(xml)) return false;
    xml->broken = !take_tag(xml, tag);
    return !xml->broken;
}

pli_slice pli_xml_content(const pli_xml *xml, const pli_xml_tag *tag)
{
    const char *end = memchr(tag->end, '<', (size_t)(xml->end - tag->end));
    if (end == NULL) end = xml->end;
    pli_slice content = {tag->end, end - tag->end};
    while (content.length > 0 && is_blank(content.bytes[0])) {
        ++content.bytes;
        --content.length;
    }
    while (content.length > 0 && is_blank(content.bytes[content.length - 1])) --content.length;
    return content;
}

bool pli_slice_is(pli_slice slice, const char *text)
{
    size_t length = strlen(text);
    return slice.bytes != NULL && (size_t)slice.length == length &&
           memcmp(slice.bytes, text, length) == 0;
}

bool pli_xml_is(const pli_xml_tag *tag, const char *name)
{
    return pli_slice_is(tag->name, name);
}

pli_slice pli_xml_get(const pli_xml_tag *tag, const char *key)
{
    for (int32_t i = 0; i < tag->attribute_count; ++i) {
        if (pli_slice_is(tag->keys[i], key)) return tag->values[i];
    }
    return (pli_slice){NULL, 0};
}

bool pli_xml_get_count(const pli_xml_tag *tag, const char *key, int64_t limit, int64_t *value)
{
    pli_slice text = pli_xml_get(tag, key);
    *value = 0;
    if (text.bytes == NULL || !pli_integer_from_bytes(text.bytes, text.length, value)) return false;
    return *value >= 0 && *value <= limit;
}

static const struct {
    const char *entity;
    char character;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

enum { ENTITY_COUNT = sizeof entities / sizeof entities[0] };

bool pli_xml_unescape(pli_slice slice, char *text, int64_t capacity)
{
    // an attribute that is not there has no bytes at all
    const char *at = slice.bytes != NULL ? slice.bytes : "";
    const char *end = at + slice.length;
    int64_t length = 0;
    while (at < end) {
        if (length + 1 >= capacity) return false;
        char c = *at;
        int64_t taken = 1;
        for (int i = 0; c == '&' && i < ENTITY_COUNT; ++i) {
            int64_t size = (int64_t)strlen(entities[i].entity);
            if (end - at < size || memcmp(at, entities[i].entity, (size_t)size) != 0) continue;
            c = entities[i].character;
            taken = size;
        }
        if (*at == '&' && taken == 1) return false;
        text[length++] = c;
        at += taken;
    }
    if (length >= capacity) return false;
    text[length] = '\0';
    return true;
}

void pli_xml_append_escaped(pli_text *text, const char *string)
{
    for (const char *at = string; *at != '\0'; ++at) {
        char c = (unsigned char)*at < 0x20 ? '_' : *at;
        const char *entity = NULL;
        for (int i = 0; i < ENTITY_COUNT; ++i) {
            if (c == entities[i].character) entity = entities[i].entity;
        }
        if (entity != NULL) {
            pli_text_append(text, entity);
        } else {
            pli_text_append_bytes(text, &c, 1);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Tags of an XML text, one after another, without building a tree: enough for .vtu, .vtp and .pvd
// files. Comments, declarations and processing instructions are skipped. Nothing is allocated; all
// slices point into the text. Not for document types, name spaces, character references or entities
// beyond the five predefined ones.
#ifndef PLI_IO_FILE_XML_H
#define PLI_IO_FILE_XML_H

#include "base/text.h"

enum { PLI_XML_ATTRIBUTES = 16 };

typedef struct pli_slice {
    const char *bytes;
    int64_t length;
} pli_slice;

typedef struct pli_xml_tag {
    pli_slice name;
    bool closing; // </name>
    bool empty;   // <name/>
    int32_t attribute_count;
    pli_slice keys[PLI_XML_ATTRIBUTES];
    pli_slice values[PLI_XML_ATTRIBUTES]; // as in the text, without quotes, not unescaped
    const char *end;                      // first byte behind the tag
} pli_xml_tag;

typedef struct pli_xml {
    const char *at;
    const char *end;
    bool broken; // a tag was not well formed
} pli_xml;

void pli_xml_init(pli_xml *xml, const char *bytes, int64_t count);

// The next tag. False at the end of the text, and when a tag is broken.
bool pli_xml_next(pli_xml *xml, pli_xml_tag *tag);

// The text between a tag and the next '<', blanks at both ends removed.
pli_slice pli_xml_content(const pli_xml *xml, const pli_xml_tag *tag);

bool pli_xml_is(const pli_xml_tag *tag, const char *name);

// The value of an attribute; bytes is NULL when there is none.
pli_slice pli_xml_get(const pli_xml_tag *tag, const char *key);

// The value of an attribute as an integer within [0, limit]. False: absent or outside.
bool pli_xml_get_count(const pli_xml_tag *tag, const char *key, int64_t limit, int64_t *value);

bool pli_slice_is(pli_slice slice, const char *text);

// Copies a slice with entities replaced and a zero byte at the end. False: it does not fit, or has
// an unknown entity. A capacity of slice.length + 1 always suffices.
bool pli_xml_unescape(pli_slice slice, char *text, int64_t capacity);

// Appends a text so that it may stand in an attribute or between tags; control characters, which
// XML cannot express, become '_'.
void pli_xml_append_escaped(pli_text *text, const char *string);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 against the examples of FIPS 180-4, and HMAC against Python's.
#include "near.h"

#include "base/sha256.h"

static void assert_digest(const uint8_t digest[PLI_SHA256_BYTES], const char *hex)
{
    char text[2 * PLI_SHA256_BYTES + 1];
    for (int i = 0; i < PLI_SHA256_BYTES; ++i) snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, hex);
}

static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        uint8_t digest[PLI_SHA256_BYTES];
        pli_sha256 hash;
        pli_sha256_init(&hash);
        pli_sha256_add(&hash, cases[k][0], strlen(cases[k][0]));
        pli_sha256_end(&hash, digest);
        assert_digest(digest, cases[k][1]);
    }
}

static void cuts_do_not_matter(void **state)
{
    (void)state;
    // a million times 'a', in pieces of all sizes around a block
    char letters[150];
    memset(letters, 'a', sizeof letters);
    for (size_t piece = 1; piece <= sizeof letters; piece += 7) {
        uint8_t digest[PLI_SHA256_BYTES];
        pli_sha256 hash;
        pli_sha256_init(&hash);
        for (size_t at = 0; at < 1000000; at += piece) {
            pli_sha256_add(&hash, letters, at + piece <= 1000000 ? piece : 1000000 - at);
        }
        pli_sha256_end(&hash, digest);
        assert_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

static void authentication_is_that_of_the_standard(void **state)
{
    (void)state;
    // HMAC-SHA-256 by Python's hmac of the key 00 01 ... 1f and "Hi There"
    uint8_t key[PLI_SHA256_BYTES];
    uint8_t digest[PLI_SHA256_BYTES];
    pli_hmac mac;
    for (int i = 0; i < PLI_SHA256_BYTES; ++i) key[i] = (uint8_t)i;
    pli_hmac_init(&mac, key);
    pli_hmac_add(&mac, "Hi ", 3);
    pli_hmac_add(&mac, "There", 5);
    pli_hmac_end(&mac, digest);
    assert_digest(digest, "278639ec02309d3afded1b273f1349ba63b9089c12476d716bee3ecc94673e9e");
    assert_true(pli_digest_is_same(digest, digest));
    uint8_t other[PLI_SHA256_BYTES];
    memcpy(other, digest, sizeof other);
    other[31] ^= 1;
    assert_false(pli_digest_is_same(digest, other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(authentication_is_that_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

"""Refusals of requests that the document allows, each meant: what a schema can't say.

Schemathesis' own checks run; a failure passes only if all codes of the response are listed here.
"""

import schemathesis
from schemathesis.specs.openapi import checks

MEANT = {
    "PRECONDITION_FAILED": "If-Match names another version than the object's.",
    "INVALID_CURSOR": "A cursor comes from a page of the same list.",
    "INVALID_HEADER": "An ETag or an Idempotency-Key has a syntax of its own.",
    "IDEMPOTENCY_KEY_REUSED": "The key of another request.",
    "INVALID_CHARACTERS": "Control characters, unassigned ones, halves of pairs.",
    "CONFLICTING_PARAMETERS": "Two names of one parameter.",
    "INVALID_TIMEZONE": "No IANA time zone.",
    "INVALID_TIMESTAMP": "No such day or time.",
    "ENDS_BEFORE_START": "Two times in the wrong order.",
    "INVALID_URL": "A URL that no browser could open.",
    "URL_SCHEME_NOT_ALLOWED": "Only schemes that are configured.",
    "URL_HAS_CONTROL_CHARACTERS": "Control characters in a URL.",
    "URL_HAS_CREDENTIALS": "A user name or a password in a URL.",
    "URL_LOOPS_BACK": "A destination that is a short link of this instance.",
    "URL_NOT_ALLOWED": "An address that this server must not call.",
    "PLACEHOLDER_IN_ORIGIN": "Placeholders are for paths and queries.",
    "INVALID_SLUG": "Characters that a slug can't have.",
    "SLUG_RESERVED": "A path of the instance.",
    "INVALID_IMAGE": "No image.",
    "INVALID_HOST": "No host name.",
    "UNKNOWN_DOMAIN": "A domain that the workspace doesn't have.",
    "UNKNOWN_MEMBER": "A person who isn't in the workspace.",
    "UNKNOWN_COLUMN": "A column that an export doesn't have.",
    "UNKNOWN_FIELD": "Members of an object that the document leaves open.",
    "FOLDER_NOT_FOUND": "The id of no folder.",
    "LINK_NOT_FOUND": "The id of no link.",
    "TAG_NOT_FOUND": "The id of no tag.",
    "BULK_FAILED": "An atomic request of which one operation failed.",
    "OUT_OF_RANGE": "A version that doesn't exist, or the last page after another limit.",
    "REQUIRED": "A text of spaces alone, or one member of several.",
    "TOO_SHORT": "A text of spaces alone.",
    "INVALID_TYPE": "A member that the document leaves open, as generators need it: a visitor's query, a filter.",
    "QR_UNREADABLE": "A code that no reader would read: colors, logo and correction together.",
    "LOW_CONTRAST": "As above.",
    "LOGO_TOO_LARGE": "As above.",
    "NO_LOGO": "A code with a logo, in a workspace without one.",
    "INVALID_VALUE": "A value that depends on another one, or of an open enum.",
    "DUPLICATE_VALUE": "The same twice in one list.",
    "OUTSIDE_RESTRICTIONS": "Beyond what a key may reach.",
    "DATE_IN_FUTURE": "A day that has not come.",
    "SCOPE_NOT_GRANTABLE": "A key gives no more than it has.",
    "TOO_FEW": "One variant alone: none, or two and more.",
    "TOO_MANY_INTERVALS": "More hours than a chart shows: the period is too long for its interval.",
}
# Details have codes of their own; these only say that there are some.
WRAPPERS = {"VALIDATION_FAILED", "BAD_REQUEST", "TOO_MANY_DETAILS"}


def codes_of(response):
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return set()
    codes = {error["code"], *(detail["code"] for detail in error.get("details", []))}
    return codes - WRAPPERS


@schemathesis.check
def refused_only_as_meant(ctx, response, case):
    try:
        return checks.positive_data_acceptance(ctx, response, case)
    except AssertionError:
        # 431: a request line of more than 16 KiB never reaches the API.
        codes = codes_of(response)
        if response.status_code == 431 or (codes and codes <= MEANT.keys()):
            return None
        print("not meant:", response.status_code, sorted(codes - MEANT.keys()), flush=True)
        raise


@schemathesis.check
def accepted_only_as_meant(ctx, response, case):
    try:
        return checks.negative_data_rejection(ctx, response, case)
    except AssertionError:
        # Each operation of a bulk request has a status of its own, and 412 refuses too.
        is_refused = response.status_code in (410, 412, 431)
        if is_refused or case.path.endswith("/links/bulk"):
            return None
        raise


@schemathesis.check
def documented_status(ctx, response, case):
    if response.status_code == 431:
        return None
    return checks.status_code_conformance(ctx, response, case)

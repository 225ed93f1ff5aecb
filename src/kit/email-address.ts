const localCharacter = '[^\\s@<>",;:\\\\\\u0000-\\u001f\\u007f-\\u009f\\ufffd]'
const domainCharacter = '[^\\s@<>",;:\\\\\\u0000-\\u001f\\u007f-\\u009f\\ufffd/?#%]'

/** Matches a local part in quotation marks (RFC 5321, section 4.1.2; RFC 6531, section 3.3). */
export const quotedLocalPart = '"(?:[ !#-\\[\\]-~\\u00a0-\\ufffc\\ufffe\\uffff]|\\\\[ -~])*"'

/**
 * Matches one email address in a form or a setting: no list, no name. The mailer sends to every address that it
 * matches (`isMailAddress`), up to 320 bytes.
 */
export const emailAddressPattern = `(?:(?!-)${localCharacter}+|${quotedLocalPart})@${domainCharacter}+`

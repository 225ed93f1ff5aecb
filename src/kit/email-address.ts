const localCharacter = '[^\\s@<>",;:\\\\\\u0000-\\u001f\\u007f\\ufffd]'
const domainCharacter = '[^\\s@<>",;:\\\\\\u0000-\\u001f\\u007f\\ufffd/?#%]'

/**
 * Matches one email address in a form or a setting: no list, no name, no quotes. The mailer sends to every
 * address that it matches (`isMailAddress`), up to 320 bytes.
 */
export const emailAddressPattern = `(?!-)${localCharacter}+@${domainCharacter}+`

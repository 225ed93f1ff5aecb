const hostName = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/
const dangerousSchemes = ['javascript:', 'data:', 'vbscript:', 'file:', 'about:', 'blob:']

/** Returns what is wrong with a redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7.1); undefined for a valid one. */
export function redirectUriFault(text: string): string | undefined {
  // Browsers remove or replace these characters.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return `${JSON.stringify(text)} must have no blank, control character or backslash`
  }
  if (!URL.canParse(text)) return `"${text}" must be an absolute URI`
  const { protocol, hash, username, password, hostname } = new URL(text)
  if (dangerousSchemes.includes(protocol)) return `"${text}" must not start with ${protocol}`
  if (hash !== '' || text.includes('#')) return `"${text}" must have no fragment`
  if (username !== '' || password !== '') return `"${text}" must have no user or password`
  const isWeb = protocol === 'https:' || protocol === 'http:'
  // The URL standard accepts `;` and `,`, which no host name has.
  const namesHost = /^\w+:\/\//.test(text) && hostName.test(hostname)
  if (isWeb && !namesHost) return `"${text}" must name a host`
  return undefined
}

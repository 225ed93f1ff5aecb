/** A path of MAIL or RCPT: the address, or '' for the null sender, and what follows it. */
export interface Path {
  readonly address: string
  readonly parameters: ReadonlyMap<string, string>
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unsafe = /[\u0000-\u0020\u007f<>\ufffd]/
const addressBytesMax = 320

/**
 * Reads `<address> KEY=VALUE …` (RFC 5321, section 4.1.2). A source route is dropped, as its appendix C
 * asks; brackets may be missing, as some clients leave them out. Undefined where it is malformed.
 */
export function parsePath(text: string): Path | undefined {
  const match = /^\s*(?:<([^<>\s]*)>|([^<>\s]+))((?:\s+[^\s]+)*)\s*$/.exec(text)
  if (match === null) return undefined
  const [, bracketed, bare = '', rest = ''] = match
  const address = (bracketed ?? bare).replace(/^@[^:]+:/, '')
  const parameters = parseParameters(rest.trim())
  return parameters === undefined ? undefined : { address, parameters }
}

function parseParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (const part of text === '' ? [] : text.split(/\s+/)) {
    const at = part.indexOf('=')
    const name = (at === -1 ? part : part.slice(0, at)).toUpperCase()
    if (name === '' || parameters.has(name)) return undefined
    parameters.set(name, at === -1 ? '' : part.slice(at + 1))
  }
  return parameters
}

/** Whether an address is one that mail can be sent to: somebody at some domain, nothing hidden in it. */
export function isSoundAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  return (
    at > 0 &&
    at < address.length - 1 &&
    Buffer.byteLength(address) <= addressBytesMax &&
    !address.startsWith('-') &&
    !unsafe.test(address)
  )
}

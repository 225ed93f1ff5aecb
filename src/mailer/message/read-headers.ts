/** One header field of a message, unfolded, its value as it was written (encoded words included). */
export interface RawHeader {
  readonly name: string
  readonly value: string
}

/** Reads the header section of a message without parsing the rest. */
export function readHeaders(raw: Uint8Array): RawHeader[] {
  const section = headerSection(raw)
  const headers: RawHeader[] = []
  for (const line of section.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0)
      headers.push({ name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() })
  }
  return headers
}

function headerSection(raw: Uint8Array): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const end = bytes.indexOf('\r\n\r\n')
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString('utf8')
}

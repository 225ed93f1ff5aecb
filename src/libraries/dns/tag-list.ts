/** The tags of a record: `v=DMARC1; p=none`. */
export interface TagList {
  /** By the name of the tag, in lower case. */
  values: ReadonlyMap<string, string>
  /** The name of the first tag; undefined where there is none. */
  first: string | undefined
  /** The name of a tag that is there more than once, which makes the record invalid. */
  duplicate: string | undefined
}

/** Parses tags with their values. What is not a tag is left out. @see RFC 6376, section 3.2 */
export function parseTags(text: string): TagList {
  const values = new Map<string, string>()
  let duplicate: string | undefined
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    if (at === -1) continue
    const name = part.slice(0, at).trim().toLowerCase()
    if (values.has(name)) duplicate ??= name
    values.set(name, part.slice(at + 1).trim())
  }
  const [first] = values.keys()
  return { values, first, duplicate }
}

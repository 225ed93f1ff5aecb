/** What a door answers to a command: a code of RFC 5321, one of RFC 3463, and a sentence. */
export interface Reply {
  readonly code: number
  /** Such as `5.1.1`. */
  readonly status: string
  readonly text: string
  /** Called once the reply was written to the connection; not at all where that fails. */
  readonly onWritten?: () => void
}

/** RFC 5321, section 4.5.3.1.5: 512 with the codes and the line end. */
const textLengthMax = 490

export function createReply(code: number, status: string, text: string): Reply {
  return { code, status, text }
}

/**
 * A reply as it goes out: one line of printable ASCII, whatever the text holds. A line end in it, such as
 * one that another server's answer brought along, would be a reply of its own.
 */
export function formatReply({ code, status, text }: Reply): string {
  const line = text.replace(/[^\x20-\x7e]+/g, (odd) => (/^[\s\p{Cc}]+$/u.test(odd) ? ' ' : '?'))
  return `${code} ${status} ${line.slice(0, textLengthMax)}\r\n`
}

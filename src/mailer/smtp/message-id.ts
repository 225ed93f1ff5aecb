import type { Reply } from '../delivery/reply.ts'

const patterns = [
  // Postfix and most: "Ok: queued as 4WzXyZ1abc"; Exim and Exchange: "OK id=1r…", "[InternalId=…]".
  /queued(?: mail)? (?:as|for delivery)[ :]+<?([^\s>;,]+)/i,
  /\bid=([\w@.-]+)/i,
  // Amazon SES: "Ok 0100018c…".
  /^ok:? <?([\w@.-]{16,})>?$/i,
]

/** The server's own id for a message, where its reply names one. */
export function messageIdOf({ text }: Reply): string | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return found
  }
  return null
}

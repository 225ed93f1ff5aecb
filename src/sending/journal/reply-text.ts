import type { RecipientResult } from '../../mailer/index.ts'

/** A reply as it stood on the line. */
export function replyText({ reply }: Pick<RecipientResult, 'reply'>): string | null {
  if (reply === null) return null
  return [String(reply.code), reply.enhancedCode, reply.text]
    .filter((part) => part !== null)
    .join(' ')
}

import type { DeliveryResult, RecipientResult } from '../../mailer/index.ts'

/** A reply as it stood on the line. */
export function replyText({ reply }: Pick<RecipientResult, 'reply'>): string | null {
  if (reply === null) return null
  return [String(reply.code), reply.enhancedCode, reply.text]
    .filter((part) => part !== null)
    .join(' ')
}

/** An index of PostgreSQL takes 2,700 bytes, and a list's name is made of those of all its members. */
const memberLengthMax = 500

/** Who took or refused a message, as far as it fits. */
export function memberText({ member }: Pick<DeliveryResult, 'member'>): string {
  return member.length <= memberLengthMax ? member : `${member.slice(0, memberLengthMax)}…`
}

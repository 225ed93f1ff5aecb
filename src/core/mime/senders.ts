import { isDeepStrictEqual } from 'node:util'
import { addressParser } from 'postal-mime'
import { type HeaderField, valueLengthMax, valuesOf } from './message-head.ts'

/** The addresses that a message is sent as, those of From first; or why they cannot be read for certain, in one sentence. */
export type Senders = readonly string[] | { readonly problem: string }

const senderHeaders = ['From', 'Sender', 'Resent-From', 'Resent-Sender']

/**
 * Reads every address of the headers that say who sends a message. Anything that another program may take for other
 * addresses is a problem.
 */
export function readSenders(fields: readonly HeaderField[]): Senders {
  if (fields.some(({ name }) => name === ''))
    return {
      problem:
        'The head of the message cannot be read for certain; write at most 5,000 headers in 512 KiB, and no other lines',
    }
  const senders: string[] = []
  let length = 0
  for (const name of senderHeaders) {
    const values = valuesOf(fields, name.toLowerCase())
    if (name === 'From' && values.length === 0)
      return { problem: 'The message has no header From; add one' }
    // Each program that forwards a message may add its own Resent-From.
    if (values.length > 1 && !name.startsWith('Resent-'))
      return { problem: `The message has ${values.length} headers ${name}; send one` }
    for (const value of values) {
      length += value.length
      if (length > valueLengthMax)
        return { problem: `The header ${name} is too long; write at most 8,192 bytes` }
      const addresses = readAddresses(value)
      if (addresses === undefined)
        return {
          problem: `The header ${name} cannot be read for certain; write plain addresses, such as Shop <news@shop.example>`,
        }
      senders.push(...addresses)
    }
  }
  return senders
}

/** Also one without an end, from which no other part is looked for. */
const quotedOrComment = /"(?:[^"\\]|\\.)*("?)|\((?:[^()\\]|\\.)*(\)?)/g
const control = /[^\t\P{Cc}]/u
/** What is left of quotes and comments that are open or nested; an IP address. */
const unclear = /["()\\[\]]/
/** No encoded word (RFC 2047). Quotes are replaced by NUL. */
const plainAddress = '((?!.*=\\?)[^\\s<>@\\0]+@[^\\s<>@\\0]+)'
const mailbox = new RegExp(`^[ \\t]*(?![ \\t])(?:[^<>@]*<${plainAddress}>|${plainAddress})[ \\t]*$`)

/** Returns the addresses of a field; undefined unless each mailbox is plain and has the address that the parser finds. */
function readAddresses(value: string): string[] | undefined {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  const bare = text.replace(quotedOrComment, (part, quote, bracket) => {
    if (quote) return '\0'
    return bracket ? ' ' : part
  })
  if (control.test(text) || unclear.test(bare)) return undefined
  const addresses = bare
    .split(/[,;:]/)
    .filter((part) => part.includes('@'))
    .map((part) => mailbox.exec(part)?.slice(1).join(''))
  const parsed = addressParser(text).flatMap(({ address, group }) => {
    if (group === undefined) return [address]
    return group.length === 0 ? [''] : group.map((member) => member.address)
  })
  // Parts that are no mailbox differ as well.
  return addresses.length > 0 && isDeepStrictEqual(parsed, addresses) ? parsed : undefined
}

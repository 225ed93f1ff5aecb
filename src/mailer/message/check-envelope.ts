import { FaultError } from '../delivery/fault-error.ts'
import type { Envelope } from './message.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unsafe = /[\u0000-\u0020\u007f<>]/
/** What makes a host name of a URL end: `joe@bücher.example/x` would go to bücher.example. */
const unsafeInDomain = /[/\\?#%]|^[^[]*:/
const addressBytesMax = 320

/**
 * Refuses an envelope that no server should see: no recipient, a line end or a blank in an address
 * (which could carry a command), an address without `@`, one that a sendmail command would take for
 * an option. Throws FaultError, for good.
 */
export function checkEnvelope({ from, to }: Envelope): void {
  if (to.length === 0) throw invalid('recipient', 'The message has no recipient.')
  if (from !== '') checkAddress('sender', from)
  for (const address of to) checkAddress('recipient', address)
}

function checkAddress(stage: 'sender' | 'recipient', address: string): void {
  const at = address.lastIndexOf('@')
  const isSound =
    at > 0 &&
    at < address.length - 1 &&
    address.length <= addressBytesMax &&
    !address.startsWith('-') &&
    !unsafe.test(address) &&
    !unsafeInDomain.test(address.slice(at + 1))
  if (!isSound)
    throw invalid(
      stage,
      `"${shown(address)}" is not an address that mail can be sent ${stage === 'sender' ? 'from' : 'to'}.`,
    )
}

function shown(address: string): string {
  return address.slice(0, 80).replace(/[\p{Cc}"]/gu, '?')
}

function invalid(stage: 'sender' | 'recipient', message: string): FaultError {
  return new FaultError({
    code: 'address_invalid',
    scope: 'message',
    stage,
    message,
    hint: 'Write it as name@example.com.',
    isPermanent: true,
  })
}

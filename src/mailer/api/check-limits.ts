import { FaultError } from '../delivery/fault-error.ts'
import type { Message } from '../message/message.ts'
import type { ApiLimits } from './api-adapter.ts'

/** Refuses what the provider would refuse, before it is sent there. Throws FaultError, for good. */
export function checkLimits({ envelope, raw }: Message, limits: ApiLimits, title: string): void {
  const { recipientsMax = Infinity, sizeBytesMax = Infinity } = limits
  if (envelope.to.length > recipientsMax)
    throw new FaultError({
      code: 'too_many_recipients',
      scope: 'message',
      stage: 'recipient',
      message: `${title} takes at most ${recipientsMax} recipients for a message; this one has ${envelope.to.length}.`,
      hint: 'Send it in parts.',
      isPermanent: true,
    })
  if (raw.length > sizeBytesMax)
    throw new FaultError({
      code: 'too_large',
      scope: 'message',
      stage: 'data',
      message: `${title} takes messages of at most ${sizeBytesMax} bytes; this one has ${raw.length}.`,
      hint: 'Send smaller attachments, or link to them.',
      isPermanent: true,
    })
}

import { FaultError } from '../delivery/fault-error.ts'

/** A message that an API has no way to carry, found before anything was sent. */
export function uncarriable(message: string, hint: string): FaultError {
  return new FaultError({
    code: 'message_refused',
    scope: 'message',
    stage: 'request',
    message,
    hint,
    isPermanent: true,
  })
}

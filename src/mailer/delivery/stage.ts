/** The steps of a delivery, in the order of an SMTP session with implicit TLS; an API has one `request`. */
export const stages = [
  'parse',
  'resolve',
  'connect',
  'tls',
  'greeting',
  'ehlo',
  'auth',
  'sender',
  'recipient',
  'data',
  'request',
] as const

/** One step of a delivery. */
export type Stage = (typeof stages)[number]

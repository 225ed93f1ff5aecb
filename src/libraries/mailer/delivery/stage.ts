/**
 * The steps of a delivery, in the order of an SMTP session with implicit TLS. An API has one step after TLS: `request`.
 * Only transports with OAuth have `token`, the request for an access token.
 * @example
 * ```ts
 * const isBeforeData = (stage: Stage) => stages.indexOf(stage) < stages.indexOf('data')
 * ```
 */
export const stages = [
  'parse',
  'resolve',
  'connect',
  'tls',
  'greeting',
  'ehlo',
  'token',
  'auth',
  'sender',
  'recipient',
  'data',
  'request',
] as const

/**
 * One step of a delivery.
 * @example
 * ```ts
 * const failedAt = (result: DeliveryResult): Stage | undefined => result.fault?.stage
 * ```
 */
export type Stage = (typeof stages)[number]

/** Watches one delivery step by step. A test report is made from it. */
export interface Observer {
  /** A step starts; the step before it succeeded. */
  enter(stage: Stage): void
  /** Receives what the current step found, as text for people. */
  found(detail: string): void
  /** Receives a line that was sent, with secrets masked. */
  sent(line: string): void
  /** Receives a reply: its code and its lines without the code. A code of 0 is text that is not a reply. */
  received(code: number, lines: readonly string[]): void
}

/** An observer that ignores everything. */
export const noObserver: Observer = { enter() {}, found() {}, sent() {}, received() {} }

import type { Stage } from './stage.ts'

/** Watches one delivery step by step: how a test learns what happened. */
export interface Observer {
  /** A step begins; the one before it went well. */
  enter(stage: Stage): void
  /** What the running step found, for people. */
  found(detail: string): void
  /** A line that was sent, as it may be shown. */
  sent(line: string): void
  /** What was received: a reply's lines without its code, or a code of 0 for what is no reply. */
  received(code: number, lines: readonly string[]): void
}

/** Watches nothing. */
export const noObserver: Observer = { enter() {}, found() {}, sent() {}, received() {} }

import type { Stage } from './stage.ts'

/** Watches one delivery step by step: how a test learns what happened. */
export interface Observer {
  /** A step begins; the one before it went well. */
  enter(stage: Stage): void
  /** What the running step found, for people. */
  found(detail: string): void
  /** A line of the dialogue as it may be shown. */
  line(direction: 'sent' | 'received', text: string): void
}

/** Watches nothing. */
export const noObserver: Observer = { enter() {}, found() {}, line() {} }

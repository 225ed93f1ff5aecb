import type { Callers, HttpApp } from '../platform/http/index.ts'
import type { ConditionKind, Finding } from './findings/index.ts'

/** A part that can be left out: what it adds to the whole. It adds itself to the hooks of what is below it when it is opened. */
export interface Module {
  addRoutes?(server: HttpApp, callers: Callers): void
  /** Starts what the core needs to send. */
  start?(): Promise<void> | void
  /** Starts what works on the results of the core, which sends already. */
  started?(): void
  /** Takes nothing new: the delivery ends after it. */
  drain?(): Promise<void>
  /** Resolves when nothing is due any more: whether something was. */
  idle?(): Promise<boolean>
  /** Ends its work, while the database is still open. */
  stop?(): Promise<void>
  /** Reads what a process needs that sends, and does nothing else. */
  join?(): Promise<void>
  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal?(): Promise<string[]>
  /** Examines what is stored and runs. `now` is in milliseconds since the epoch. */
  examine?(now: number): Promise<Finding[]>
  /** What may go on, with events of its own. */
  readonly conditions?: readonly ConditionKind[]
}

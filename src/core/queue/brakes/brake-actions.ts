import { AppError } from '../../../kit/app-error.ts'
import { type Caller, noBrand, owns } from '../../../kit/caller.ts'
import { type Clock, startStopwatch } from '../../../kit/clock.ts'
import { sleep } from '../../../kit/timers.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { noTransport } from '../../delivery/index.ts'
import type { Transports } from '../../transports/index.ts'
import type { ChangeQueued } from '../change-queued.ts'
import type { QueueFilter } from '../list-queued.ts'
import { type BrakeItem, type BrakeResult, presentBrakes } from './brake-item.ts'
import type { BrakedGroup, BulkBrakes } from './bulk-brakes.ts'
import { filterOf } from './bulk-group.ts'

export interface BrakeActionsOptions {
  storage: Storage
  clock: Clock
  brakes: Pick<BulkBrakes, 'list' | 'try' | 'end'>
  transports: Pick<Transports, 'findRow'>
  changeQueued: Pick<ChangeQueued, 'many' | 'count'>
  /** Called when recipients may be due. */
  onDue: () => void
}

/** An uncertain message is settled: it may have arrived. */
const cancelledStates = ['queued', 'deferred', 'held'] as const
/** How long a cancellation waits for attempts, which choose the transports of messages, and how often it looks. */
const attemptsWait = { longestMs: 3_000, stepMs: 100 }

/** Lists the brakes of bulk messages, tries them, and ends them. */
export class BrakeActions {
  readonly #options: BrakeActionsOptions

  constructor(options: BrakeActionsOptions) {
    this.#options = options
  }

  /** Returns the groups of a caller, or of one brand, that their brakes hold, the newest first. */
  async list(caller: Caller, brand?: number): Promise<BrakeItem[]> {
    const { storage, transports } = this.#options
    const own = await this.#listOf(caller)
    const groups = own.filter((group) => brand === undefined || group.brand === brand)
    return presentBrakes(groups, { storage, transports, caller })
  }

  /** Sends the ten oldest messages of a brake, which holds on. Throws an AppError (`not_found`). */
  async try(id: number, caller: Caller): Promise<BrakeResult> {
    await this.#find(id, caller)
    const changed = await this.#options.brakes.try(id)
    this.#options.onDue()
    return { changed, left: 0, isDone: true }
  }

  /** Ends a brake, so that its messages are sent. Throws an AppError (`not_found`). */
  async continue(id: number, caller: Caller): Promise<BrakeResult> {
    await this.#find(id, caller)
    const changed = await this.#options.brakes.end(id)
    this.#options.onDue()
    return { changed, left: 0, isDone: true }
  }

  /**
   * Cancels what is in the queue for the group of a brake, and then ends it. The brake holds on while messages are left whose
   * transport is not known yet. Throws an AppError (`not_found`).
   */
  async cancel(id: number, caller: Caller): Promise<BrakeResult> {
    const { clock, brakes, changeQueued, onDue } = this.#options
    const group = filterOf(await this.#find(id, caller))
    const by = caller.name
    const addedBefore = clock.now() + 1
    const elapsedMs = startStopwatch()
    for (let changed = 0; ; ) {
      // Counted first: the brake holds what is attempted from here on, so that it is cancelled.
      const left = await this.#countUndecided({ ...group, addedBefore })
      const filter = { ...group, states: cancelledStates }
      const step = await changeQueued.many({ action: 'cancel', by }, filter)
      changed += step.changed
      const isDone = left === 0 && step.next === null
      if (isDone) await brakes.end(id)
      if (isDone || step.next !== null || elapsedMs() > attemptsWait.longestMs)
        return { changed, left, isDone }
      onDue()
      await sleep(attemptsWait.stepMs)
    }
  }

  async #listOf(caller: Caller): Promise<BrakedGroup[]> {
    return (await this.#options.brakes.list()).filter(({ brand }) => owns(caller, brand))
  }

  async #find(id: number, caller: Caller): Promise<BrakedGroup> {
    const brake = (await this.#listOf(caller)).find((each) => each.id === id)
    if (brake !== undefined) return brake
    const message = `Brake ${id} holds no messages. GET /api/queue/brakes lists those that do.`
    throw new AppError('not_found', 'brake_not_found', message)
  }

  /**
   * Counts the messages that may belong to a group: no attempt has chosen their transport yet, or one is being made. Until then,
   * those of a log-in of all brands have none.
   */
  async #countUndecided({ brands = [], ...others }: QueueFilter): Promise<number> {
    const group = { ...others, brands: [noBrand, ...brands] }
    const filters: QueueFilter[] = [
      { ...group, transportId: noTransport, states: ['queued', 'deferred'], isNew: true },
      { ...group, transportId: noTransport, states: ['sending'] },
      { ...group, states: ['sending'] },
    ]
    let count = 0
    for (const filter of filters) {
      const { changed, skipped, next } = await this.#options.changeQueued.count('cancel', filter)
      // Where a large queue was not counted to its end, one may be left.
      count += changed + skipped + (next === null ? 0 : 1)
    }
    return count
  }
}

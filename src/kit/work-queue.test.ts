import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AppError } from './app-error.ts'
import { WorkQueue } from './work-queue.ts'

/** A job that ends when `end` is called. */
function openJob() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { job: () => promise, end: resolve }
}

describe('a work queue', () => {
  test('runs two jobs of an owner at once, lets twenty wait, and refuses more', async () => {
    const queue = new WorkQueue()
    let started = 0
    const { job, end } = openJob()
    const jobs = Array.from({ length: 22 }, () =>
      queue.run('ann', () => {
        started += 1
        return job()
      }),
    )
    await assert.rejects(
      queue.run('ann', () => undefined),
      (error) =>
        error instanceof AppError && error.kind === 'rate_limited' && error.retryAfterSeconds === 1,
    )
    for (let each = 0; each < 4; each++)
      assert.equal(await queue.run('bob', () => 'served'), 'served')
    assert.equal(started, 2)
    end()
    await Promise.all(jobs)
    assert.equal(started, 22)
    assert.equal(await queue.run('ann', () => 'again'), 'again')
  })

  test('gives the place of a failed job to the next one', async () => {
    const queue = new WorkQueue({ runningMax: 1, waitingMax: 1 })
    const failed = queue.run('ann', () => {
      throw new Error('broken')
    })
    const waiting = queue.run('ann', () => 'served')
    await assert.rejects(failed, /broken/)
    assert.equal(await waiting, 'served')
  })

  test('gives a free place to the owners in turn, however many jobs one of them has', async () => {
    const queue = new WorkQueue({ totalMax: 1 })
    const order: string[] = []
    const { job, end } = openJob()
    const first = queue.run('ann', job)
    const others = ['ann', 'ann', 'ann', 'bob', 'carla', 'bob'].map((owner) =>
      queue.run(owner, () => order.push(owner)),
    )
    end()
    await Promise.all([first, ...others])
    assert.deepEqual(order, ['bob', 'carla', 'ann', 'bob', 'ann', 'ann'])
  })

  test('lets what was accepted before wait, however many jobs do', async () => {
    const queue = new WorkQueue({ runningMax: 1, waitingMax: 0 })
    const { job, end } = openJob()
    const first = queue.run('ann', job)
    const accepted = queue.run('ann', () => 'served', true)
    await assert.rejects(queue.run('ann', () => 'refused'))
    end()
    await first
    assert.equal(await accepted, 'served')
  })

  test('turns the event loop after each piece', async () => {
    const queue = new WorkQueue()
    const order: string[] = []
    const pieces = ['first', 'second', 'third'].map(async (piece) => {
      await queue.turn('ann')
      order.push(piece)
    })
    const turns = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await setImmediate()
        order.push('turn')
      }
    })()
    await Promise.all([...pieces, turns])
    assert.deepEqual(order, ['first', 'turn', 'second', 'turn', 'third', 'turn'])
  })

  test('lets owners take turns, however many pieces one of them has', async () => {
    const queue = new WorkQueue()
    const order: string[] = []
    const turn = (owner: string) => queue.turn(owner).then(() => order.push(owner))
    await Promise.all(['ann', 'ann', 'ann', 'ann', 'bob', 'carla', 'bob'].map(turn))
    assert.deepEqual(order, ['ann', 'bob', 'carla', 'ann', 'bob', 'ann', 'ann'])
  })

  test('lets the pieces of a job take the turns of its owner', async () => {
    const queue = new WorkQueue()
    const order: string[] = []
    const job = (owner: string, pieces: number) =>
      queue.run(owner, async () => {
        for (let piece = 0; piece < pieces; piece++) {
          await queue.turn()
          order.push(owner)
        }
      })
    await Promise.all([job('ann', 3), job('ann', 3), job('bob', 2)])
    assert.deepEqual(order, ['bob', 'ann', 'bob', 'ann', 'ann', 'ann', 'ann', 'ann'])
  })
})

import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { discardBody } from './error-handler.ts'

const limits = { bytes: 1_000, durationMs: 60_000, silenceMs: 60_000 }

/** Writes every five milliseconds until the work ends. */
async function whileWriting(request: PassThrough, work: Promise<void>): Promise<void> {
  const timer = setInterval(() => request.write('x'), 5)
  try {
    await work
  } finally {
    clearInterval(timer)
  }
}

test('a request is read to its end', async () => {
  const request = new PassThrough()
  const dropped = discardBody(request, limits)
  request.write('x'.repeat(900))
  request.end('x')
  await dropped
  assert.equal(request.readableEnded, true)
  await discardBody(request, limits)
})

test('discarding ends when the request is aborted', async () => {
  for (const error of [undefined, new Error('reset')]) {
    const request = new PassThrough()
    const dropped = discardBody(request, limits)
    request.destroy(error)
    await dropped
    await discardBody(request, limits)
  }
})

test('an endless request is read up to the byte limit', async () => {
  const request = new PassThrough()
  const dropped = discardBody(request, limits)
  request.write('x'.repeat(1_001))
  await dropped
})

test('a slow request is read up to the time limit', async () => {
  const request = new PassThrough()
  await whileWriting(request, discardBody(request, { ...limits, durationMs: 100 }))
})

test('a request that sends nothing is read up to the silence limit', async () => {
  const request = new PassThrough()
  const dropped = discardBody(request, { ...limits, silenceMs: 200 })
  const writing = setInterval(() => request.write('x'), 20)
  let isDropped = false
  void dropped.then(() => {
    isDropped = true
  })
  await setTimeout(400)
  assert.equal(isDropped, false, 'data resets the silence limit')
  clearInterval(writing)
  await dropped
})

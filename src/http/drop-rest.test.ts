import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { dropRest } from './drop-rest.ts'

const limits = { bytes: 1_000, durationMs: 60_000, silenceMs: 60_000 }

/** Writes every few milliseconds, for as long as the work takes. */
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
  const dropped = dropRest(request, limits)
  request.write('x'.repeat(900))
  request.end('x')
  await dropped
  assert.equal(request.readableEnded, true)
  await dropRest(request, limits)
})

test('a request that is broken off is not waited for', async () => {
  for (const error of [undefined, new Error('reset')]) {
    const request = new PassThrough()
    const dropped = dropRest(request, limits)
    request.destroy(error)
    await dropped
    await dropRest(request, limits)
  }
})

test('a request without end is read for so many bytes', async () => {
  const request = new PassThrough()
  const dropped = dropRest(request, limits)
  request.write('x'.repeat(1_001))
  await dropped
})

test('a request that goes on slowly is read for so long', async () => {
  const request = new PassThrough()
  await whileWriting(request, dropRest(request, { ...limits, durationMs: 100 }))
})

test('a request that falls silent is waited for a shorter time', async () => {
  const request = new PassThrough()
  const beganAt = performance.now()
  const dropped = dropRest(request, { ...limits, silenceMs: 200 })
  const writing = setInterval(() => request.write('x'), 20)
  setTimeout(() => clearInterval(writing), 400)
  await dropped
  assert.ok(performance.now() - beganAt > 390, 'what came meanwhile was no silence')
})

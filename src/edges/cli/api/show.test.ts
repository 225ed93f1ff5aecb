import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type CliEnvironment, Output } from '../output.ts'
import type { Answer, ApiClient } from './client.ts'
import { apiGroups } from './document.ts'
import { showAnswer } from './show.ts'

const request = { params: {}, query: {}, headers: {}, body: {} }

const answerOf = (body: object): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  stream: Readable.from([JSON.stringify(body)]),
})

/** Shows the answers of an operation, one after another. */
async function show(operationId: string, ...bodies: object[]) {
  const operation = apiGroups()
    .flatMap(({ operations }) => operations)
    .find((each) => each.operationId === operationId)
  assert.ok(operation)
  const written = { stdout: '', stderr: '', asked: [] as number[] }
  const [first = answerOf({}), ...others] = bodies.map(answerOf)
  const next = (after: number) => {
    written.asked.push(after)
    return Promise.resolve(others.shift() ?? assert.fail())
  }
  const streamTo = (name: 'stdout' | 'stderr') => ({
    write: (text: string | Uint8Array) => {
      written[name] += String(text)
    },
  })
  const stdout = streamTo('stdout')
  const environment = { stdout, stderr: streamTo('stderr') } as unknown as CliEnvironment
  const context = { environment, output: new Output(stdout, false) }
  const code = await showAnswer(context, { operation, request, next, api: {} as ApiClient }, first)
  return { code, ...written }
}

test('a change that ends early is continued to its end, and its numbers are added up', async () => {
  const steps = [
    { changed: 1_000, skipped: 1, next: 7 },
    { changed: 500, skipped: 2, next: 9 },
    { changed: 20, skipped: 0, next: null },
  ]
  const { code, stdout, asked } = await show('holdQueuedMessages', ...steps)
  assert.deepEqual([code, asked], [0, [7, 9]])
  assert.equal(stdout, 'changed:  1520\nskipped:  3\n')
})

test('what an answer leaves out is named, with the option that continues', async () => {
  const list = await show('listDeliveries', { deliveries: [{ id: 9 }], next: 9 })
  assert.deepEqual([list.stdout, list.stderr], ['id\n9\n', 'more: --next 9 continues.\n'])
  const impact = await show('measureTwigTemplateImpact', { total: 60, impact: [], next: 50 })
  assert.equal(impact.stderr, 'more: --start 50 continues.\n')
  const brake = await show('cancelBrake', { changed: 3, left: 2, isDone: false })
  assert.deepEqual(
    [brake.code, brake.stderr],
    [1, 'more: repeat the command for those that are left.\n'],
  )
})

test('a test that did not pass fails the command, with its message last', async () => {
  const stages = [{ stage: 'auth', outcome: 'failed' }]
  const { code, stdout } = await show('testTransport', { success: false, message: 'No.', stages })
  assert.equal(code, 5)
  assert.equal(stdout, 'stages:\nstage  outcome\nauth   failed\n\nNo.\n')
})

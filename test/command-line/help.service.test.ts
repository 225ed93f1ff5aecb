import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ApiCommand, apiCommands } from '../../src/edges/cli/api/commands.ts'
import { apiGroups, bodyOf } from '../../src/edges/cli/api/document.ts'
import { createRequest } from '../../src/edges/cli/api/request.ts'
import { type Command, readInput } from '../../src/edges/cli/command.ts'
import { commands } from '../../src/edges/cli/commands.ts'
import { runMailyard } from '../run-mailyard.ts'
import { wordsOf } from './words.ts'

const root = join(import.meta.dirname, '../..')
const ofApi = apiGroups().flatMap(apiCommands)
const all: readonly Command[] = [...commands, ...ofApi]

test('every operation of the API has a command, and no two have the same', () => {
  const { paths } = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
  const ids = Object.entries<Record<string, { operationId: string; tags: string[] }>>(paths)
    .filter(([path]) => path.startsWith('/api/') && path !== '/api/users/self')
    .flatMap(([, methods]) => Object.values(methods))
    .flatMap(({ operationId, tags }) => (tags.includes('session') ? [] : operationId))
  const covered = ofApi.flatMap(({ operations }) =>
    operations.map(({ operationId }) => operationId),
  )
  assert.deepEqual(covered.toSorted(), ids.toSorted())
  assert.ok(covered.length > 150)
  const words = all.map((command) => command.words)
  assert.deepEqual(words, [...new Set(words)])
  // The number of arguments chooses between the operations of one command.
  for (const { words, operations } of ofApi) {
    const counts = operations.map(({ path }) => path.split('{').length)
    assert.equal(new Set(counts).size, counts.length, words)
  }
})

for (const group of apiGroups())
  test(`the examples of ${group.name} are commands, and make the requests of the document`, async () => {
    for (const command of apiCommands(group)) await checkExample(command)
  })

/** Its example is the request of one of the operations. */
async function checkExample(command: ApiCommand): Promise<void> {
  const [group, name, ...words] = wordsOf(command.example)
  assert.equal(`${group} ${name}`, command.words)
  const input = readInput(command, words)
  const operation = command.operations.find(
    ({ path }) => path.split('{').length - 1 === input.args.length,
  )
  assert.ok(operation, command.example)
  const body = bodyOf(operation)
  if (body !== undefined && (body.type !== 'application/json' || body.otherType !== undefined))
    return
  const request = await createRequest(operation, input, process)
  assert.deepEqual(request.body, withoutEmpty(body?.example), command.example)
}

/** Members that are null or empty lists are left out of examples: nothing is their default. */
function withoutEmpty(example: unknown): unknown {
  if (typeof example !== 'object' || Array.isArray(example)) return example
  const members = Object.entries(example ?? {})
  return Object.fromEntries(
    members.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )
}

test('the examples of the hand-written commands are commands', () => {
  for (const command of commands) {
    const words = wordsOf(command.example).slice(command.words.split(' ').length)
    assert.ok(command.example.startsWith(command.words))
    readInput(command, words)
  }
})

test('the help of a command has its arguments, its options and an example, in 80 columns', async () => {
  const { code, stdout } = await runMailyard(['queue', 'hold', '--help'])
  assert.equal(code, 0)
  for (const part of ['[id]', '--transport-id <id or name>', '--dry-run', 'Example:'])
    assert.ok(stdout.includes(part), part)
  for (const line of stdout.trim().split('\n').slice(0, -1)) assert.ok(line.length <= 80, line)
})

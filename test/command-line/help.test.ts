import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'

const program = createProgram({}, () => async () => undefined)

/** Every command that a person can type, by its words. */
function* commandsOf(command: Command, words: string[]): Generator<[string[], Command]> {
  yield [words, command]
  for (const each of command.commands) yield* commandsOf(each, [...words, each.name()])
}

/** The help as `--help` prints it. */
function helpOf(command: Command): string {
  const written: string[] = []
  command.configureOutput({ writeOut: (text) => void written.push(text) })
  command.outputHelp()
  return written.join('')
}

const commands = [...commandsOf(program, [])]

test('the help of every command has an example, which is a command line of it', () => {
  for (const [words, command] of commands) {
    const [, example = ''] = /\nExample:\n {2}\S+ (.+)\n$/.exec(helpOf(command)) ?? []
    assert.ok(example.startsWith(words.join(' ')), `${words.join(' ')}: "${example}"`)
    const options = new Set(commands.flatMap(([, { options }]) => options.map(({ long }) => long)))
    for (const [option] of example.matchAll(/--[a-z-]+/g)) assert.ok(options.has(option), option)
  }
})

test('the commands are in groups, in the order of use', () => {
  const headings = [...helpOf(program).matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading)
  assert.deepEqual(headings, [
    'Options',
    'Run',
    'Send',
    'Content',
    'People',
    'Watch',
    'Set up',
    'Example',
  ])
})

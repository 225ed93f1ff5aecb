import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hook } from './hooks.ts'

test('functions of a hook are called one after the other, in the order in which they were added', async () => {
  const hook = new Hook<[number], string>()
  const calls: string[] = []
  hook.add(async (value) => {
    calls.push('begun')
    await Promise.resolve()
    calls.push('ended')
    return `one ${value}`
  })
  hook.add((value) => `two ${value} ${calls.length}`)
  assert.deepEqual(await hook.call(3), ['one 3', 'two 3 2'])
})

test('what a function throws ends a call; `settle` calls the others all the same', async () => {
  const hook = new Hook<[]>()
  let isCalled = false
  hook.add(() => Promise.reject(new Error('no')))
  hook.add(() => {
    isCalled = true
  })
  await assert.rejects(hook.call(), /no/)
  assert.equal(isCalled, false)
  await hook.settle()
  assert.equal(isCalled, true)
})

test('the first function that knows an answer gives it', async () => {
  const hook = new Hook<[string], number | undefined>()
  assert.equal(await hook.first('a'), undefined)
  hook.add(() => undefined)
  hook.add(async (value) => value.length)
  hook.add(() => assert.fail('not called'))
  assert.equal(await hook.first('abc'), 3)
})

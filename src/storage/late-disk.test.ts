import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createLateDisk } from './late-disk.ts'

function countingDisk(answer: () => Promise<void> = async () => undefined) {
  const disk = {
    flushes: 0,
    reachDisk() {
      disk.flushes += 1
      return answer()
    },
  }
  return disk
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await setTimeout(5)
}

test('what nobody waits for reaches the disk by itself, all that came meanwhile at once', async () => {
  const disk = countingDisk()
  const late = createLateDisk(disk, assert.fail)
  for (let count = 0; count < 100; count += 1) late.ask()
  assert.equal(disk.flushes, 0)
  await until(() => disk.flushes > 0)
  assert.equal(disk.flushes, 1)
  late.ask()
  await until(() => disk.flushes > 1)
})

test('at the end nothing is left over', async () => {
  const disk = countingDisk()
  const late = createLateDisk(disk, assert.fail)
  late.ask()
  await late.end()
  assert.equal(disk.flushes, 1)
  await late.end()
  assert.equal(disk.flushes, 1)
})

test('a disk that fails is told of, since nobody else is', async () => {
  const told: Error[] = []
  const full = new Error('full')
  const late = createLateDisk(
    countingDisk(() => Promise.reject(full)),
    (error) => told.push(error),
  )
  late.ask()
  await until(() => told.length > 0)
  assert.deepEqual(told, [full])
})

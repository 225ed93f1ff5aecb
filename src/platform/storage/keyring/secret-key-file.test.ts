import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  commitSecretKey,
  createSecretKey,
  findSecretKey,
  findStagedSecretKey,
  isPrivateFile,
  secretKeyPath,
  stageSecretKey,
} from './secret-key-file.ts'

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailyard-key-'))
})
after(() => rmSync(folder, { recursive: true }))

test('the key file is beside a SQLite database; another database has none', () => {
  assert.equal(secretKeyPath('sqlite:./data/mailyard.db'), './data/mailyard.key')
  assert.equal(secretKeyPath('postgres://h/d'), undefined)
})

test('the key file is created once, with mode 0600, and nothing else is left in the folder', () => {
  const path = join(folder, 'new', 'mailyard.key')
  assert.equal(findSecretKey(path), undefined)
  const made = createSecretKey(path)
  assert.equal(createSecretKey(path), made)
  assert.equal(findSecretKey(path), made)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(folder, 'new')), ['mailyard.key'])
  assert.equal(isPrivateFile(path), true)
  chmodSync(path, 0o640)
  assert.equal(isPrivateFile(path), false)
})

test('a staged key is beside the key file, and replaces it in one step', () => {
  const path = join(folder, 'mailyard.key')
  const old = createSecretKey(path)
  const staged = stageSecretKey(path)
  assert.notEqual(staged, old)
  assert.equal(findSecretKey(path), old)
  assert.equal(findStagedSecretKey(path), staged)
  commitSecretKey(path)
  assert.equal(findSecretKey(path), staged)
  assert.equal(findStagedSecretKey(path), undefined)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('of two processes that commit a staged key, neither fails', () => {
  const path = join(folder, 'twice.key')
  createSecretKey(path)
  const staged = stageSecretKey(path)
  commitSecretKey(path)
  commitSecretKey(path)
  assert.equal(findSecretKey(path), staged)
})

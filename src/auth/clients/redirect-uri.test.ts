import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectUriFault } from './redirect-uri.ts'

test('addresses of the web, of this machine and of installed applications are redirect URIs', () => {
  for (const uri of [
    'https://app.example.com/callback',
    'HTTPS://APP.example.com',
    'https://app.example.com/callback?tenant=7&x=a%20b',
    'https://münchen.example/漢',
    'http://localhost:9/callback',
    'http://[::1]:9/',
    'com.example.app:/callback',
  ]) {
    assert.equal(redirectUriFault(uri), undefined, uri)
  }
})

test('what browsers leave out or read as something else is in no redirect URI', () => {
  for (const uri of [
    'https://app.example.com/a b',
    ' https://app.example.com/',
    'https://app.example.com/\t',
    'https://app.example.com/\nset-cookie:x',
    'https://app.example.com\\@evil.example.com/',
  ]) {
    assert.match(redirectUriFault(uri) ?? '', /no blank/, uri)
  }
})

test('an address of the web names its host as a URI does, so that everybody reads the same', () => {
  for (const uri of [
    'https:app.example.com',
    'https:/app.example.com',
    'https:/\\app.example.com',
  ]) {
    assert.notEqual(redirectUriFault(uri), undefined, uri)
  }
})

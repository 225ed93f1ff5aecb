import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postForm } from './form.ts'

test('a form is read by others as it was meant, bytes and odd names included', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  const request = postForm(
    'https://api.example.com/send',
    { authorization: 'App K' },
    {
      boundary: '0b1c',
      parts: [
        { name: 'to', value: 'jane@example.net' },
        { name: 'to', value: 'Jürgen <j@example.net>' },
        { name: 'file', value: bytes, filename: 'a "b"\r\n.bin', contentType: 'image/gif' },
      ],
    },
  )
  assert.equal(request.method, 'POST')
  assert.equal(request.headers['authorization'], 'App K')
  const { headers, body } = request
  const form = await new Response(Buffer.from(body), { headers: { ...headers } }).formData()
  assert.deepEqual(form.getAll('to'), ['jane@example.net', 'Jürgen <j@example.net>'])
  const file = form.get('file')
  assert.ok(file instanceof File)
  assert.equal(file.type, 'image/gif')
  assert.equal(file.name, 'a "b"\r\n.bin')
  assert.ok(Buffer.from(body).includes('filename="a %22b%22%0D%0A.bin"'), 'one line')
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
})

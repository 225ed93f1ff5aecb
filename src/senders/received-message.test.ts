import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { dkimSelector, ed25519Pair, rsaPair } from '../../test/dns-domains.ts'
import { openDns } from '../../test/open-dns.ts'
import type { AppError } from '../kit/app-error.ts'
import { verifyReceived } from './received-message.ts'

const { dns } = await openDns()

function verify(source: string | Uint8Array, signal = new AbortController().signal) {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  return verifyReceived(bytes, { resolver: dns.check().resolver, signal })
}

const message = [
  'From: Ann <ann@plain.example>',
  'To: jane@receiver.example',
  'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Date: Fri, 27 Nov 2026 10:00:00 +0000',
  'Message-ID: <1@plain.example>',
  '',
  'Hello Jane,',
  '',
  'grüße  ',
  '',
].join('\r\n')

const signedAt = Date.parse('2026-01-31T10:00:00Z')

async function sign(source = message, domain = 'plain.example', pair = rsaPair): Promise<string> {
  const key = {
    signingDomain: domain,
    selector: dkimSelector,
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  const canonicalization = 'relaxed/relaxed'
  const signTime = new Date(signedAt)
  const options = { ...key, canonicalization, signTime, signatureData: [key] }
  const { signatures, errors } = await dkimSign(source, options)
  assert.deepEqual(errors, [])
  return signatures + source
}

/** The fields that Gmail writes above a message. */
const gmail = [
  'Delivered-To: jane@gmail.com',
  'Received: by 2002:a05:7300:1234:b0:12:34 with SMTP id abc; Fri, 27 Nov 2026 02:00:02 -0800 (PST)',
  'X-Received: by 2002:a17:906:1234:b0:a1 with SMTP id x; Fri, 27 Nov 2026 02:00:01 -0800 (PST)',
  'ARC-Seal: i=1; a=rsa-sha256; t=1; cv=none; d=google.com; s=arc-20240605; b=AAAA',
  'ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed; d=google.com; s=arc-20240605; h=from; bh=AAAA; b=AAAA',
  'ARC-Authentication-Results: i=1; mx.google.com; dkim=fail header.i=@wrong.example; spf=fail; dmarc=fail',
  'Return-Path: <bounce@plain.example>',
  'Received: from mail.plain.example (mail.plain.example. [192.0.2.7])',
  '        by mx.google.com with ESMTPS id abc-20020a17 for <jane@gmail.com>',
  '        (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256);',
  '        Fri, 27 Nov 2026 02:00:01 -0800 (PST)',
  'Received-SPF: pass (google.com: domain of bounce@plain.example designates 192.0.2.7 as permitted sender) client-ip=192.0.2.7;',
  'Authentication-Results: mx.google.com;',
  '       dkim=pass header.i=@plain.example header.s=mailyard header.b="abc/d;e";',
  '       spf=pass (google.com: domain of bounce@plain.example designates 192.0.2.7 as permitted sender; (really)) smtp.mailfrom=bounce@plain.example;',
  '       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=plain.example',
  '',
].join('\r\n')

const forged =
  'Authentication-Results: mx.google.com; dmarc=pass header.from=plain.example; spf=pass smtp.mailfrom=plain.example\r\n'
/** What Exchange Online writes when it sends. */
const outgoing =
  'Authentication-Results: dkim=none (message not signed)\r\n header.d=none;dmarc=none action=none header.from=plain.example;\r\n'
const ownHop =
  'Received: from app (localhost [127.0.0.1]) by mail.plain.example (Postfix) id 1; today\r\n'

test('a message as Gmail received it: signature, results, address, From and Message-ID', async () => {
  const received = await verify(gmail + outgoing + ownHop + forged + (await sign()))
  const key = createPublicKey(rsaPair.privateKey).export({ type: 'spki', format: 'der' })
  assert.deepEqual(received, {
    from: ['plain.example'],
    messageId: '<1@plain.example>',
    date: 'Fri, 27 Nov 2026 10:00:00 +0000',
    signatures: [
      {
        domain: 'plain.example',
        selector: dkimSelector,
        result: 'pass',
        detail: '',
        signedAt,
        publicKey: key.toString('base64'),
      },
    ],
    results: {
      server: 'mx.google.com',
      spf: { result: 'pass', domain: 'plain.example' },
      dkim: [{ result: 'pass', domain: 'plain.example', selector: 'mailyard' }],
      dmarc: { result: 'pass', domain: 'plain.example' },
      isTrusted: true,
    },
    receivedFrom: '192.0.2.7',
  })
})

test('line ends, a byte order mark and the first line of a mailbox file do not matter', async () => {
  const source = gmail + (await sign())
  for (const variant of [
    source.replaceAll('\r\n', '\n'),
    source.replaceAll('\r\n', '\r'),
    `\uFEFF\n\nFrom ann@plain.example Fri Nov 27 10:00:00 2026\n${source}`,
  ]) {
    const { signatures, results, from } = await verify(variant)
    assert.equal(signatures[0]?.result, 'pass')
    assert.equal(results?.dmarc?.result, 'pass')
    assert.deepEqual(from, ['plain.example'])
  }
})

test('Outlook.com gives no name, and passes a message on by public addresses', async () => {
  const outlook = [
    'Received: from DB9PR01.eurprd01.prod.exchangelabs.outlook.com (2603:10a6:10:1::1)',
    ' by AM0PR01.eurprd01.prod.outlook.com with HTTPS; Fri, 27 Nov 2026 10:00:03 +0000',
    'Received: from DB3EUR04FT.eop-eur04.prod.protection.outlook.com',
    ' (2603:10a6:10:2::2) by DB9PR01.outlook.office365.outlook.com (2603:10a6:10:1::1) with SMTP; x',
    'Authentication-Results: spf=pass (sender IP is 192.0.2.7)',
    ' smtp.mailfrom=plain.example; hotmail.com; dkim=fail (no key for signature)',
    ' header.d=plain.example;dmarc=pass action=none',
    ' header.from=plain.example;compauth=pass reason=100',
    'Received-SPF: Pass (protection.outlook.com: domain of plain.example designates 192.0.2.7)',
    'Received: from mail.plain.example (192.0.2.7) by',
    ' DB3EUR04FT.mail.protection.outlook.com (10.152.24.1) with Microsoft SMTP Server; x',
    '',
  ].join('\r\n')
  const { results, receivedFrom } = await verify(outlook + outgoing + forged + message)
  assert.deepEqual(results, {
    server: null,
    spf: { result: 'pass', domain: 'plain.example' },
    dkim: [{ result: 'fail', domain: 'plain.example', selector: null }],
    dmarc: { result: 'pass', domain: 'plain.example' },
    isTrusted: true,
  })
  assert.equal(receivedFrom, '192.0.2.7')
})

test('Yahoo has another name than the server of its Received field', async () => {
  const yahoo = [
    'X-Apparently-To: jane@yahoo.com; Fri, 27 Nov 2026 10:00:03 +0000',
    'Return-Path: <bounce@plain.example>',
    'Received-SPF: pass (domain of plain.example designates 192.0.2.7 as permitted sender)',
    'Authentication-Results: atlas-production.v2-mail-prod1-gq1.omega.yahoo.com;',
    ' dkim=pass header.i=@plain.example header.s=mailyard;',
    ' spf=pass smtp.mailfrom=plain.example;',
    ' dmarc=pass(p=REJECT) header.from=plain.example;',
    'Received: from 192.0.2.7 (EHLO [198.51.100.66])',
    ' by 10.217.150.1 with SMTPs; Fri, 27 Nov 2026 10:00:02 +0000',
    '',
  ].join('\r\n')
  const { results, receivedFrom } = await verify(yahoo + forged + message)
  assert.partialDeepStrictEqual(results, {
    server: 'atlas-production.v2-mail-prod1-gq1.omega.yahoo.com',
    dmarc: { result: 'pass' },
    isTrusted: true,
  })
  assert.equal(receivedFrom, '192.0.2.7')
})

test('several fields of one server are read together', async () => {
  const postfix = [
    'Received: from mail.plain.example (mail.plain.example [192.0.2.7])',
    ' by mx.receiver.example (Postfix) with ESMTPS id 1 for <jane@receiver.example>; x',
    'Authentication-Results: receiver.example; dmarc=pass (p=none) header.from=plain.example',
    'DKIM-Filter: OpenDKIM Filter v2.11.0 mx.receiver.example 1',
    'Authentication-Results: receiver.example; dkim=pass (2048-bit key) header.d=plain.example; dkim=fail header.d=other.example',
    'Authentication-Results: receiver.example 1; spf=softfail smtp.helo=mail.plain.example',
    '',
  ].join('\r\n')
  const { results } = await verify(postfix + ownHop + forged + message)
  assert.deepEqual(results, {
    server: 'receiver.example',
    spf: { result: 'softfail', domain: 'mail.plain.example' },
    dkim: [
      { result: 'pass', domain: 'plain.example', selector: null },
      { result: 'fail', domain: 'other.example', selector: null },
    ],
    dmarc: { result: 'pass', domain: 'plain.example' },
    isTrusted: true,
  })
})

test('servers behind the border pass a message on by private addresses', async () => {
  const inside = [
    'Received: from mx2 (localhost [127.0.0.1]) by store.receiver.example with LMTP; x',
    'Received: from mx2.receiver.example (mx2 [10.202.2.201]) by imap.internal (LMTPProxy); x',
    'Authentication-Results: mx2.receiver.example; dmarc=fail header.from=plain.example',
    'Received: from evil.receiver.example (unknown [192.0.2.7]) by mx2.receiver.example (Postfix); x',
    '',
  ].join('\r\n')
  const { results, receivedFrom } = await verify(inside + forged + message)
  assert.partialDeepStrictEqual(results, { dmarc: { result: 'fail' }, isTrusted: true })
  assert.equal(receivedFrom, '192.0.2.7')
})

test('results that the sender may have written are not trusted', async () => {
  const border =
    'Received: from mail.plain.example (mail.plain.example [192.0.2.7]) by mx.receiver.example (Postfix); x\r\n'
  for (const fields of [
    border + forged,
    border + outgoing,
    border + ownHop + forged.replace('mx.google.com', 'mx.receiver.example'),
    forged,
    '',
  ]) {
    const { results } = await verify(fields + message)
    assert.ok(results === null || !results.isTrusted, fields)
  }
  const none = `${border}ARC-Authentication-Results: i=1; x.example; dmarc=pass\r\n`
  assert.equal((await verify(none + message)).results, null)
  const empty = 'Authentication-Results: mx.receiver.example; none\r\n'
  assert.equal((await verify(empty + border + message)).results, null)
})

test('a server behind a proxy sees a private address, and is the border as well', async () => {
  const proxied = [
    'Received: from mail.plain.example (gateway [172.17.0.1]) by mx.receiver.example (Postfix); x',
    'Authentication-Results: mail.plain.example; spf=pass smtp.mailfrom=plain.example; dmarc=pass',
    'Received: from app (app [198.51.100.66]) by mail.plain.example (Postfix); x',
    '',
  ].join('\r\n')
  const { results, receivedFrom } = await verify(proxied + message)
  assert.equal(results?.isTrusted, false)
  assert.equal(receivedFrom, null)
})

test('a customer of Microsoft sends to another one from outside', async () => {
  const fields = [
    'Received: from A.prod.outlook.com (2603:10a6::1) by B.prod.outlook.com with HTTPS; x',
    'Authentication-Results: spf=pass (sender IP is 40.107.1.1) smtp.mailfrom=plain.example; dmarc=pass',
    'Received: from C.outbound.protection.outlook.com (40.107.1.1) by',
    ' D.mail.protection.outlook.com (10.1.1.1) with Microsoft SMTP Server; x',
    `${outgoing}Received: from E.prod.outlook.com (2603:10a6::2) by F.prod.outlook.com; x`,
    '',
  ].join('\r\n')
  const { results, receivedFrom } = await verify(fields + message)
  assert.partialDeepStrictEqual(results, { dmarc: { result: 'pass' }, isTrusted: true })
  assert.equal(receivedFrom, '40.107.1.1')
})

test('the address is the one that the server saw, and not the one of the greeting', async () => {
  for (const [from, address] of [
    ['[198.51.100.66] (mail.example [192.0.2.7])', '192.0.2.7'],
    ['[198.51.100.66] ([192.0.2.7]:1234 helo=[198.51.100.66])', '192.0.2.7'],
    ['unknown (HELO 198.51.100.66) (192.0.2.7)', '192.0.2.7'],
    ['mail.example (192.0.2.7 (unverified))', '192.0.2.7'],
    ['[192.0.2.7] (port=4711 helo=mail.example)', '192.0.2.7'],
    ['mail.example (mail.example [IPv6:2001:db8::25])', '2001:db8::25'],
    ['mail.example ([::ffff:192.0.2.7])', '192.0.2.7'],
    ['mail.example (mail.example [10.0.0.7])', null],
    ['mail.example', null],
    ['999.1.1.1 (1.2.3)', null],
  ] as const) {
    const source = `Received: from ${from} by mx.receiver.example with ESMTP; x\r\n${message}`
    assert.equal((await verify(source)).receivedFrom, address, from)
  }
})

test('a changed message fails, and one whose key is gone, expired or cannot be looked up is unknown', async () => {
  const signed = await sign()
  for (const [source, result, detail] of [
    [signed.replace('Hello Jane', 'Hello Joe'), 'fail', /body was changed/],
    [signed.replace('To: jane', 'To: joe'), 'fail', /header was changed/],
    [signed.replace('s=mailyard', 's=other'), 'unknown', /not in DNS/],
    [await sign(message, 'silent.example'), 'unknown', /could not be looked up/],
    [await sign(message, 'servfail.example'), 'unknown', /could not be looked up/],
    [await sign(message, 'circle.example'), 'unknown', /could not be looked up/],
    [await sign(message, 'revoked.example'), 'fail', /not valid: invalid public key/],
    [await sign(message, 'ed25519.example'), 'fail', /./],
    [signed.replace('a=rsa-sha256', 'a=rsa-sha1'), 'fail', /./],
    [signed.replace(/h=[^;]*;/, 'h=Subject;'), 'fail', /From field not signed/],
    [signed.replace(' v=1;', ' v=2;'), 'fail', /version/],
  ] as const) {
    const { signatures } = await verify(source)
    assert.equal(signatures.length, 1)
    assert.equal(signatures[0]?.result, result, source.slice(0, 300))
    assert.match(signatures[0].detail, detail)
  }
})

test('each signature has its own result', async () => {
  const twice = await sign(await sign(message, 'ed25519.example', ed25519Pair))
  const { signatures } = await verify(twice.replace('d=plain.example', 'd=long-key.example'))
  assert.deepEqual(
    signatures.map(({ domain, result }) => [domain, result]),
    [
      ['long-key.example', 'fail'],
      ['ed25519.example', 'pass'],
    ],
  )
  const key = createPublicKey(ed25519Pair.privateKey).export({ type: 'spki', format: 'der' })
  assert.equal(signatures[1]?.publicKey, key.subarray(-32).toString('base64'))
})

test('the domains of From are those of all addresses, in ASCII', async () => {
  const withFrom = (...values: string[]) =>
    verify(
      values.map((value) => `From: ${value}\r\n`).join('') + message.replace(/^From.*\r\n/, ''),
    )
  for (const [values, domains] of [
    [['"ann@other.example" <ann@Plain.Example>'], ['plain.example']],
    [['a@one.example, b@two.example, c@one.example'], ['one.example', 'two.example']],
    [
      ['a@one.example', 'b@two.example'],
      ['one.example', 'two.example'],
    ],
    [['a@bücher.example'], ['xn--bcher-kva.example']],
    [['unknown'], []],
    [['a@[192.0.2.1]'], []],
  ] as const) {
    assert.deepEqual((await withFrom(...values)).from, domains, JSON.stringify(values))
  }
})

test('what would take long to verify is refused', async () => {
  const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=plain.example; s=x; h=from; bh=A; b=A\r\n'
  for (const [source, problem] of [
    [signature.repeat(11) + message, /11 signatures; at most 10/],
    [`X: ${'a'.repeat(300_000)}\r\n${message}`, /256 KB/],
    [`X: a\r\n${' b\r\n'.repeat(5_000)}${message}`, /4000 lines/],
    ['X: a\r\n'.repeat(1_001) + message, /1000 fields/],
    [signature.replace('h=from', `h=${'from:'.repeat(3_000)}`) + message, /8 KB/],
    [`From: ${'a@b.example,'.repeat(2_000)}\r\n\r\n`, /From has more than 16 KB/],
    [message + 'x'.repeat(2_000_001), /2 MB/],
  ] as const) {
    await assert.rejects(verify(source), (error: AppError) => problem.test(error.message))
  }
})

test('hostile sources are read without an error', async () => {
  const bytes = Buffer.alloc(100_000, 0xff)
  for (const source of [
    '',
    '\r\n',
    'no header',
    '\0\0\0',
    ':\r\n:\r\n\r\n',
    `Authentication-Results: ${'('.repeat(100_000)}\r\n${message}`,
    `Authentication-Results: ${'a=b '.repeat(20_000)};${'"'.repeat(9_999)}\r\n${message}`,
    `Authentication-Results: x; spf=pass smtp.mailfrom=${'@'.repeat(50_000)}\r\n${message}`,
    `Received: from ${'('.repeat(50_000)} by ${')'.repeat(50_000)}\r\n${message}`,
    `Received: ${' by '.repeat(40_000)}\r\n${message}`,
    `From: ${'<'.repeat(8_000)}${'@'.repeat(8_000)}\r\n\r\n`,
    `${'Received: from a (a [192.0.2.1]) by b.example\r\n'.repeat(900)}${forged}${message}`,
    `DKIM-Signature: ${'a='.repeat(2_000)}\r\nDKIM-Signature: __proto__=1; v=1; d=\0; s=..\r\n${message}`,
    `${message}${'\n'.repeat(1_000_000)}`,
    bytes,
  ]) {
    const received = await verify(source)
    assert.ok(!JSON.stringify(received).includes('\\u0000'))
    assert.ok(!received.signatures.some(({ result }) => result === 'pass'))
    assert.ok(received.results?.isTrusted !== true || received.results.dmarc === null)
  }
})

test('an aborted verification ends with the reason of the signal', async () => {
  const reason = new Error('stopped')
  await assert.rejects(verify(message, AbortSignal.abort(reason)), reason)
})

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import { WorkQueue } from '../../../kit/work-queue.ts'
import type { KeyAlgorithm } from './table.ts'

/** A key pair, as it is stored. */
export interface KeyMaterial {
  algorithm: KeyAlgorithm
  /** PKCS#8 in PEM. */
  privateKey: string
  /**
   * What the tag `p` of its record has: in Base64 the SubjectPublicKeyInfo of an RSA key, or the 32 bytes of an Ed25519 key.
   * @see RFC 6376, section 3.6.1, and RFC 8463, section 4
   */
  publicKey: string
}

/** Why a private key cannot be imported: a fault of the field, for people. */
export class UnusableKeyError extends Error {
  override readonly name = 'UnusableKeyError'
}

const rsaBits = 2_048
const rsaBitsMin = 1_024
/** Longer keys are not verified by all receivers: RFC 8301 asks them for 4096 bits at most. */
const rsaBitsMax = 4_096
/** An Ed25519 SubjectPublicKeyInfo is a header of this length and the 32 bytes of the key; see RFC 8410, section 4. */
const ed25519HeaderBytes = 12

const generate = promisify(generateKeyPair)
const signInThread = promisify(sign)
const verifyInThread = promisify(verify)

/**
 * Creates and checks keys. To create an RSA key takes a thread of libuv 0.1 to 1 s. Four threads serve all files, look-ups of host
 * names (at most two at a time) and signatures of the process, so one key is made at a time. Callers take turns.
 */
export class KeyMaker {
  readonly #turns = new WorkQueue({ runningMax: 1, totalMax: 1 })

  /**
   * Creates a key pair.
   *
   * @param owner The key of the caller.
   * @throws AppError (`rate_limited`) if the caller is waiting for too many.
   */
  create(algorithm: KeyAlgorithm, owner: string): Promise<KeyMaterial> {
    return this.#turns.run(owner, async () => {
      const { privateKey } =
        algorithm === 'rsa'
          ? await generate('rsa', { modulusLength: rsaBits })
          : await generate('ed25519')
      return materialOf(algorithm, privateKey)
    })
  }

  /**
   * Reads a private key: PKCS#8 or PKCS#1 in PEM.
   *
   * @param owner The key of the caller.
   * @throws UnusableKeyError; AppError (`rate_limited`) if the caller is waiting for too many.
   */
  async read(pem: string, owner: string): Promise<KeyMaterial> {
    const { algorithm, privateKey } = parsePrivateKey(pem)
    return this.#turns.run(owner, async () => {
      if (!(await isWhole(privateKey, algorithm)))
        throw new UnusableKeyError(
          'is damaged: its public half does not verify what it signs; export it again',
        )
      return materialOf(algorithm, privateKey)
    })
  }
}

export function rsaBitsOf(publicKey: string): number {
  const key = createPublicKey({
    key: Buffer.from(publicKey, 'base64'),
    format: 'der',
    type: 'spki',
  })
  return key.asymmetricKeyDetails?.modulusLength ?? 0
}

function materialOf(algorithm: KeyAlgorithm, privateKey: KeyObject): KeyMaterial {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const publicKey = algorithm === 'rsa' ? spki : spki.subarray(ed25519HeaderBytes)
  return {
    algorithm,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.toString('base64'),
  }
}

function parsePrivateKey(pem: string): { algorithm: KeyAlgorithm; privateKey: KeyObject } {
  const label = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem)?.[1]
  if (label === undefined)
    throw new UnusableKeyError('must be PEM: it starts with -----BEGIN PRIVATE KEY-----')
  if (!label.endsWith('PRIVATE KEY'))
    throw new UnusableKeyError(`must be a private key; this is a ${label.toLowerCase()}`)
  if (label === 'ENCRYPTED PRIVATE KEY' || pem.includes('Proc-Type: 4,ENCRYPTED'))
    throw new UnusableKeyError(
      'is protected with a passphrase: remove it first, with openssl pkey -in key.pem',
    )
  const privateKey = readPem(pem)
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = privateKey
  if (type === 'ed25519') return { algorithm: type, privateKey }
  if (type !== 'rsa')
    throw new UnusableKeyError(`must be an RSA or an Ed25519 key; this is ${type ?? 'another one'}`)
  const bits = details?.modulusLength ?? 0
  if (bits < rsaBitsMin)
    throw new UnusableKeyError(
      `has ${bits} bits, and receivers ignore signatures of less than ${rsaBitsMin}: create a new key`,
    )
  if (bits > rsaBitsMax)
    throw new UnusableKeyError(
      `has ${bits} bits, and receivers ignore signatures of more than ${rsaBitsMax}: create a new key`,
    )
  return { algorithm: type, privateKey }
}

/** The error of OpenSSL is not shown: it may quote the key. */
function readPem(pem: string): KeyObject {
  try {
    return createPrivateKey({ key: pem, format: 'pem' })
  } catch {
    throw new UnusableKeyError(
      'cannot be read: copy the whole PEM text, with its first and last line',
    )
  }
}

/** Whether the halves of a key belong together, which OpenSSL does not check when it reads one. */
async function isWhole(privateKey: KeyObject, algorithm: KeyAlgorithm): Promise<boolean> {
  const digest = algorithm === 'rsa' ? 'sha256' : undefined
  const data = randomBytes(32)
  try {
    const signature = await signInThread(digest, data, privateKey)
    return await verifyInThread(digest, data, createPublicKey(privateKey), signature)
  } catch {
    return false
  }
}

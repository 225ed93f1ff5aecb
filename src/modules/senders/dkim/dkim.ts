import { Hook } from '../../../kit/hooks.ts'
import type { DnsCheck } from '../../../libraries/dns/index.ts'
import type { UnsignedMessage } from '../../../libraries/mailer/index.ts'
import type { Keyring } from '../../../platform/storage/index.ts'
import { ActiveKeys } from './active-keys.ts'
import { openDkimRecords } from './dkim-records.ts'
import { type DkimSecrets, openDkimSecrets } from './dkim-secrets.ts'
import {
  type DomainKey,
  KeyChecker,
  type KeyCheckerOptions,
  type KeySender,
} from './key-checker.ts'

export interface DkimOptions extends Omit<KeyCheckerOptions, 'onChanged'> {
  keyring: Keyring
  /** Called for each message that is sent unsigned although its domain has a key. */
  onUnsigned: (message: UnsignedMessage) => void
}

/** The keys that sign the messages of domains. */
export class Dkim {
  /** Keys were changed, of these domains; see `ActiveKeys`. */
  readonly changed = new Hook<[domains: readonly string[]]>()
  readonly records: ReturnType<typeof openDkimRecords>
  /** Those that sign now. */
  readonly keys: ActiveKeys
  readonly checker: KeyChecker
  readonly #secrets: DkimSecrets

  constructor(options: DkimOptions) {
    const { storage, keyring, dns, clock, log, published } = options
    const secrets = openDkimSecrets(storage, keyring)
    const onChanged = () => this.keys.reload()
    this.#secrets = secrets
    this.keys = new ActiveKeys({
      storage,
      secrets,
      clock,
      log,
      onChanged: async (domains) => void (await this.changed.call(domains)),
      onUnsigned: options.onUnsigned,
    })
    this.checker = new KeyChecker({ storage, dns, clock, log, onChanged, published })
    const { checker } = this
    this.records = openDkimRecords({ storage, clock, secrets, checker, onChanged })
  }

  async start(): Promise<void> {
    await this.keys.start()
    this.checker.checking.start()
  }

  async stop(): Promise<void> {
    await this.checker.checking.stop()
    await this.keys.stop()
  }

  /** Finds the key of a domain for the messages of a brand, and looks its record up; undefined if there is none. */
  async findKey(sender: KeySender, check: DnsCheck): Promise<DomainKey | undefined> {
    const key = await this.checker.findKey(sender, check)
    const signing = this.keys.findSigning(sender.domain, sender.brand)
    // A key that cannot be decrypted does not sign.
    return key && { ...key, isActive: key.isActive && signing !== undefined }
  }

  /** Encrypts every private key with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]> {
    return this.#secrets.reseal()
  }
}

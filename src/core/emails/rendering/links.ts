import { seal, unseal } from '../../../kit/sealing.ts'
import { domainOf } from '../../suppressions/index.ts'

/** Who got a message, and from whom. It is in the links of the message. */
export interface LinkFacts {
  /** The address that the message was sent to. */
  address: string
  /** The address in From. */
  from: string
  emailId: number
  contactId: number
  /** The brand of the message; `noBrand` for none. */
  brand: number
}

/** What a link of a message says. */
export interface OpenedLink extends Omit<LinkFacts, 'from'> {
  /** See `domainOf`. */
  senderDomain: string
}

/** What a link does. A link that does one thing is not valid for another. */
export type LinkKind = 'unsubscribe' | 'webview'

/** The links of one message: that in its header and that in its text are the same. */
export type MessageLinks = Readonly<Record<LinkKind, string>>

/** The token of the links in previews. */
export const previewToken = 'preview'
/** The version of the form of tokens: one of another version is not valid. */
const version = 1
const tokenLengthMax = 600

/** Creates and opens the links in messages. */
export type Links = ReturnType<typeof openLinks>

/**
 * Opens the links. A token is the facts, encrypted and authenticated with AES-256-GCM: it cannot be forged or changed, and
 * a log that has it reveals no address.
 */
export function openLinks({ publicUrl, key }: { publicUrl: string; key: Uint8Array }) {
  const create = (kind: LinkKind, facts: LinkFacts) => {
    const { address, from, emailId, contactId, brand } = facts
    const fields: Fields = [address, domainOf(from), emailId, contactId, brand]
    const token = seal(key, purposeOf(kind), JSON.stringify(fields)).toString('base64url')
    return `${publicUrl}/${kind}/${token}`
  }
  return {
    /** The links of the message to one recipient. */
    of: (facts: LinkFacts): MessageLinks => ({
      unsubscribe: create('unsubscribe', facts),
      webview: create('webview', facts),
    }),
    ofPreview: previewLinks(publicUrl),
    /** Returns undefined for a token that this Mailyard has not created. */
    open(kind: LinkKind, token: string): OpenedLink | undefined {
      if (token.length > tokenLengthMax || !/^[\w-]+$/.test(token)) return undefined
      try {
        const text = unseal(key, purposeOf(kind), Buffer.from(token, 'base64url')).toString()
        const [address, senderDomain, emailId, contactId, brand] = JSON.parse(text) as Fields
        return { address, senderDomain, emailId, contactId, brand }
      } catch {
        return undefined
      }
    },
  }
}

/** Returns the links of previews and tests, which change nothing. */
export function previewLinks(publicUrl: string): MessageLinks {
  return {
    unsubscribe: `${publicUrl}/unsubscribe/${previewToken}`,
    webview: `${publicUrl}/webview/${previewToken}`,
  }
}

/** Address, sender domain, email, contact, brand. */
type Fields = [string, string, number, number, number]

function purposeOf(kind: LinkKind): string {
  return `link ${version} ${kind}`
}

import { ButtonLink } from '../../design/button.tsx'
import { Card, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { worstFirst } from '../../records/alignment-badge.tsx'
import { SenderAlignments } from '../../records/sender-alignments.tsx'
import { domainOf, senderHref } from '../../records/sender-href.ts'
import { alignmentWords } from '../../words/alignment.ts'

const { ofEmail: text } = alignmentWords

/** Whether receivers will believe the From domain of an email, through each transport that sends this domain. */
export function SenderCard({ fromAddress }: { fromAddress: string }) {
  const domain = domainOf(fromAddress)
  return domain === undefined ? null : <DomainCard key={domain} domain={domain} />
}

function DomainCard({ domain }: { domain: string }) {
  const loaded = useData(
    async (signal) => {
      const query = { search: domain, limit: 100 }
      const { senders } = (await ask('GET', '/api/senders', { query, signal })).body
      return senders.find((sender) => sender.domain === domain)?.transports ?? []
    },
    [domain],
  )
  return (
    <Card title={text.title} tools={<a href={senderHref(domain)}>{alignmentWords.open(domain)}</a>}>
      <Show loaded={loaded}>
        {(transports) =>
          transports.length === 0 ? (
            <>
              <p class="quiet">{text.unknown}</p>
              <p>
                <ButtonLink href={senderHref(domain)}>{text.check(domain)}</ButtonLink>
              </p>
            </>
          ) : (
            <SenderAlignments
              rows={worstFirst(transports).map(({ name, verdict, sentence }) => ({
                domain,
                name,
                verdict,
                sentence,
              }))}
            />
          )
        }
      </Show>
    </Card>
  )
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { copyText } from '../lib/copy.ts'
import { asCommand, type SentRequest, sentRequests } from '../lib/curl.ts'
import { session } from '../lib/session.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'

/** The menu of a page: what is done with its record, its requests as curl commands, and the documents. */
export function PageMenu({ children }: { children?: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Menu label={words.pageMenu.title} icon="more">
        {children}
        <button type="button" onClick={() => setOpen(true)}>
          <Icon name="code" />
          {words.curl.title}
        </button>
        <a href="/api/docs" target="_blank" rel="noopener">
          <Icon name="docs" />
          {words.pageMenu.apiDocs}
        </a>
      </Menu>
      {isOpen && <Commands onClose={() => setOpen(false)} />}
    </>
  )
}

/** The last change, and the requests of the screen, as curl commands. */
function Commands({ onClose }: { onClose: () => void }) {
  const { path } = useLocation()
  const requests = sentRequests.value
  const change = requests.find(({ isRead }) => !isRead)
  const addresses = [path, `${path}/`]
  const reads = requests.filter(({ isRead, screen }) => isRead && addresses.includes(screen))
  const shown = change === undefined ? reads : [change, ...reads]
  return (
    <Dialog title={words.curl.title} onClose={onClose} size="medium" done={words.close}>
      <p class="quiet small">{shown.length === 0 ? words.curl.none : words.curl.help}</p>
      <ul class="stack">
        {shown.map((request) => (
          <Command key={`${request.method} ${request.url}`} request={request} />
        ))}
      </ul>
    </Dialog>
  )
}

function Command({ request }: { request: SentRequest }) {
  const { method, url, isRead } = request
  const copy = () => {
    const { user } = session.value ?? {}
    void copyText(asCommand(request, user?.email ?? user?.name ?? ''))
  }
  const name = `${method} ${url}`
  return (
    <li class="command">
      <div>
        <div class="small quiet">{isRead ? words.curl.read : words.curl.change}</div>
        <code>{name}</code>
      </div>
      <Button onClick={copy} aria-label={words.curl.copy(name)}>
        {words.copy}
      </Button>
    </li>
  )
}

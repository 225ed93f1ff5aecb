import type { ComponentChildren } from 'preact'

/** The name of a transport with a link to it; the name alone where it has no id. */
export function TransportLink({
  id,
  name,
}: {
  id: number | null
  name: ComponentChildren
}): ComponentChildren {
  return id === null ? name : <a href={`/transports/${id}`}>{name}</a>
}

<?php
// What Mautic's api-library does, with nothing but PHP: php client.php <base URL> <tokens as JSON>

[, $base, $tokens] = $argv;
$auth = json_decode($tokens, true);

function send(string $method, string $url, ?array $headers, ?string $body): array
{
    $http = ['method' => $method, 'ignore_errors' => true, 'header' => $headers, 'protocol_version' => 1.1];
    if ($body !== null) {
        $http['content'] = $body;
    }
    $text = file_get_contents($url, false, stream_context_create(['http' => $http]));
    preg_match('#^HTTP/\S+ (\d+)#', $http_response_header[0], $matches);
    return ['status' => (int) $matches[1], 'body' => json_decode($text, true)];
}

function call(string $method, string $path, array $parameters = []): array
{
    global $base, $auth;
    $headers = ['Accept: application/json', 'Authorization: Bearer ' . $auth['access_token'], 'Connection: close'];
    if ($method === 'GET' || $method === 'DELETE') {
        $query = http_build_query($parameters, '', '&');
        return send($method, "$base/api/$path" . ($query === '' ? '' : "?$query"), $headers, null);
    }
    if ($method === 'POST') {
        $headers[] = 'Expect:';
    }
    $headers[] = 'Content-Type: application/json';
    return send($method, "$base/api/$path", $headers, json_encode($parameters));
}

$answers = [];
$answers['expired'] = call('GET', 'users/self');

// The library sends the expired token along when it asks for another one.
$refreshed = send('POST', "$base/oauth/v2/token", [
    'Accept: application/json',
    'Authorization: Bearer ' . $auth['access_token'],
    'Expect:',
    'Content-Type: application/json',
    'Connection: close',
], json_encode([
    'client_id' => $auth['client_id'],
    'client_secret' => $auth['client_secret'],
    'redirect_uri' => $auth['redirect_uri'],
    'grant_type' => 'refresh_token',
    'refresh_token' => $auth['refresh_token'],
]));
$answers['refreshed'] = $refreshed;
$auth = array_merge($auth, $refreshed['body']);
$answers['self'] = call('GET', 'users/self');

$created = call('POST', 'multipleTransports/new', ['name' => 'From PHP', 'mailerDsn' => 'null://null', 'isPublished' => true]);
$answers['created'] = $created;
$id = $created['body']['id'];
$answers['tested'] = call('POST', "multipleTransports/send/test/$id");
$answers['edited'] = call('PATCH', "multipleTransports/$id/edit", ['description' => 'Größe']);
$answers['listed'] = call('GET', 'multipleTransports', ['search' => 'From PHP', 'orderByDir' => 'ASC', 'limit' => 10]);
$answers['assigned'] = call('POST', 'multipleTransport/transportEmail/1', ['transportId' => $id, 'useOwnerTransport' => false]);
$answers['batch'] = call('POST', 'twigTemplates/batch/new', [['name' => 'a', 'template' => '{{ 1 }}'], ['name' => 'b']]);
$made = array_filter($answers['batch']['body']['twigTemplates']);
$answers['where'] = call('GET', 'twigTemplates', ['where' => [['col' => 'name', 'expr' => 'eq', 'val' => 'a']], 'order' => [['col' => 'id', 'dir' => 'DESC']]]);
$answers['removed'] = call('DELETE', 'twigTemplates/batch/delete', ['ids' => array_column($made, 'id')]);
$answers['deleted'] = call('DELETE', "multipleTransports/$id/delete");
$answers['missing'] = call('GET', "multipleTransports/$id");

echo json_encode($answers);

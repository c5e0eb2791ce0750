SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.actions (
    action_id text NOT NULL,
    version text NOT NULL,
    id text NOT NULL,
    catalog_id text NOT NULL,
    owner text,
    status text NOT NULL,
    source text NOT NULL,
    definition text NOT NULL,
    retired_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);


CREATE TABLE public.api_keys (
    id text NOT NULL,
    user_id text NOT NULL,
    label text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text,
    created_at bigint NOT NULL,
    last_used_at bigint,
    revoked_at bigint
);


CREATE TABLE public.build_requests (
    id text NOT NULL,
    user_id text NOT NULL,
    job_id text NOT NULL,
    website_url text NOT NULL,
    domain text NOT NULL,
    goal text NOT NULL,
    catalog_id text,
    visibility text NOT NULL,
    replaces text,
    status text NOT NULL,
    action_id text,
    error text,
    error_type text,
    steps text,
    sample text,
    choose text,
    name text,
    repair_by text,
    proof text,
    candidates text,
    guess text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);


CREATE TABLE public.catalogs (
    id text NOT NULL,
    slug text NOT NULL,
    source text NOT NULL,
    owner text,
    domain text NOT NULL,
    definition text NOT NULL,
    retired_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);


CREATE TABLE public.console_sessions (
    token_hash text NOT NULL,
    user_id text NOT NULL,
    api_key_id text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);


CREATE TABLE public.credentials (
    id text NOT NULL,
    identity_id text NOT NULL,
    credential_type text NOT NULL,
    status text NOT NULL,
    expires_at bigint NOT NULL,
    last_used_at bigint,
    created_at bigint NOT NULL,
    site_user text,
    signed_in_at bigint NOT NULL,
    key_id text,
    encrypted_data text
);


CREATE TABLE public.gateway_consent (
    principal text NOT NULL,
    consent text NOT NULL,
    used_at bigint NOT NULL
);


CREATE TABLE public.gateway_group (
    id text NOT NULL,
    principal text NOT NULL,
    action_id text NOT NULL,
    call_hash text NOT NULL,
    open integer NOT NULL,
    allowance double precision,
    confirmed double precision,
    stopped text,
    created_at bigint NOT NULL
);


CREATE TABLE public.gateway_intent (
    id text NOT NULL,
    principal text NOT NULL,
    service_key text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    call_hash text NOT NULL,
    open integer NOT NULL,
    state text NOT NULL,
    price double precision NOT NULL,
    charged double precision NOT NULL,
    owner text NOT NULL,
    deadline bigint NOT NULL,
    keyed integer,
    job_id text,
    duration_ms double precision,
    outcome text,
    created_at bigint NOT NULL,
    submitted_at bigint,
    finished_at bigint,
    answered_at bigint,
    delivered_at bigint,
    account text,
    params text,
    refusal text,
    input text,
    paid_for text,
    version text,
    drift text
);


CREATE TABLE public.gateway_member (
    group_id text NOT NULL,
    "position" integer NOT NULL,
    params text NOT NULL,
    row_id text,
    error text
);


CREATE TABLE public.gateway_profile (
    principal text NOT NULL,
    subject text NOT NULL,
    account text NOT NULL,
    profile text NOT NULL,
    updated_at bigint NOT NULL
);


CREATE TABLE public.gateway_result (
    principal text NOT NULL,
    job_id text NOT NULL,
    kept_at bigint NOT NULL,
    size integer NOT NULL,
    body bytea NOT NULL
);


CREATE TABLE public.gateway_retention (
    looked_at bigint NOT NULL
);


CREATE TABLE public.gateway_schema_version (
    hash integer NOT NULL
);


CREATE TABLE public.gateway_session (
    id text NOT NULL,
    used_at bigint NOT NULL
);


CREATE TABLE public.gateway_sign_in (
    principal text NOT NULL,
    credential_id text NOT NULL,
    signed_in integer NOT NULL
);


CREATE TABLE public.gateway_sign_in_page (
    id text NOT NULL,
    principal text NOT NULL,
    account text NOT NULL,
    address text NOT NULL,
    record text NOT NULL,
    version integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);


CREATE TABLE public.gateway_subject_key (
    issuer text NOT NULL,
    subject text NOT NULL,
    key_id text NOT NULL,
    encrypted_key text NOT NULL,
    added_at bigint NOT NULL
);


CREATE TABLE public.gateway_task (
    id text NOT NULL,
    principal text NOT NULL,
    row_id text,
    group_id text,
    view text,
    cancelled_at bigint,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);


CREATE TABLE public.gateway_watch (
    id text NOT NULL,
    principal text NOT NULL,
    action_id text NOT NULL,
    call_hash text NOT NULL,
    params text NOT NULL,
    identity text,
    every text NOT NULL,
    time_zone text NOT NULL,
    anchor bigint NOT NULL,
    next_at bigint NOT NULL,
    extra_at bigint,
    extra_reason text,
    until_at bigint NOT NULL,
    allowance double precision NOT NULL,
    confirmed double precision,
    price double precision NOT NULL,
    key_field text,
    ignore text,
    unsteady text NOT NULL,
    told_when text,
    base_row text,
    first_row text,
    suspect_row text,
    compared_by text,
    fields text,
    state text NOT NULL,
    problem text,
    failures integer NOT NULL,
    missed integer NOT NULL,
    seen_seq integer NOT NULL,
    sent_seq integer NOT NULL,
    send_at bigint NOT NULL,
    send_tries integer NOT NULL,
    version text NOT NULL,
    created_at bigint NOT NULL,
    last_run_at bigint
);


CREATE TABLE public.gateway_watch_key (
    principal text NOT NULL,
    key_id text NOT NULL,
    encrypted_key text NOT NULL
);


CREATE TABLE public.gateway_watch_run (
    watch_id text NOT NULL,
    due_at bigint NOT NULL,
    seq integer,
    row_id text,
    reason text NOT NULL,
    missed integer NOT NULL,
    outcome text,
    told text,
    summary text,
    difference text,
    previous_row text,
    ended_at bigint
);


CREATE TABLE public.identities (
    id text NOT NULL,
    user_id text NOT NULL,
    catalog_id text NOT NULL,
    name text NOT NULL,
    is_default integer NOT NULL,
    created_at bigint NOT NULL
);


CREATE TABLE public.jobs (
    id text NOT NULL,
    kind text NOT NULL,
    user_id text NOT NULL,
    status text NOT NULL,
    action_id text,
    wheel_version text,
    params text,
    credential_id text,
    site text NOT NULL,
    price bigint NOT NULL,
    credits_used bigint,
    credits_excess bigint,
    result bytea,
    error_code text,
    error_message text,
    error_reason text,
    execution_ms bigint,
    created_at bigint NOT NULL,
    finished_at bigint,
    not_before bigint NOT NULL,
    traceparent text,
    attempts integer NOT NULL,
    lease_owner text,
    lease_until bigint NOT NULL,
    fence integer NOT NULL,
    idempotency_key text,
    request_hash text
);


CREATE TABLE public.ledger (
    id text NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    job_id text,
    created_at bigint NOT NULL
);


CREATE TABLE public.publications (
    version bigint NOT NULL
);


CREATE TABLE public.rate_limits (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);


CREATE TABLE public.retention (
    looked_at bigint NOT NULL
);


CREATE TABLE public.service_schema_version (
    hash integer NOT NULL
);


CREATE TABLE public.users (
    id text NOT NULL,
    name text NOT NULL,
    balance bigint NOT NULL,
    created_at bigint NOT NULL,
    removed_at bigint,
    CONSTRAINT users_balance_check CHECK ((balance >= 0))
);


INSERT INTO public.actions VALUES ('wikipedia_article', 'dd216fafbc8f', 'ccda9a59-24a5-4da0-9fda-41aab0d77e05', 'a6699cbf-2add-46f1-bfdc-62d47469f97e', NULL, 'active', 'shipped:wikipedia', '{"action_id":"wikipedia_article","name":"Article","description":"Gives the beginning of an article, its sections, categories, picture and the time of its last change.","tags":["encyclopedia","article","summary"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"title":{"type":"string","description":"Title as in its address","minLength":1,"maxLength":255,"examples":["Web scraping","Ada_Lovelace"]}},"required":["title"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://en.wikipedia.org/wiki/{title}","method":"GET"},"extract":{"kind":"html","fields":{"title":{"select":"h1#firstHeading","type":"text","required":true},"summary":{"select":"#mw-content-text .mw-parser-output > p:not(.mw-empty-elt)","type":"text"},"description":{"select":".shortdescription","type":"text"},"sections":{"select":"#mw-content-text h2:not(#mw-toc-heading)","all":true,"type":"text"},"categories":{"select":"#mw-normal-catlinks li a","all":true,"type":"text"},"image_url":{"select":"meta[property=''og:image'']","attribute":"content","type":"image"},"last_changed":{"select":"#footer-info-lastmod","type":"date","match":"(\\d{1,2} \\w+ \\d{4}), at"},"url":{"select":"link[rel=canonical]","type":"url"}}}},"wheel_version":"dd216fafbc8f"}', NULL, 1795748371426, 1795748371426);
INSERT INTO public.actions VALUES ('hackernews_front_page', '4a840e1c0b57', 'be074855-2266-4f5e-acdf-6f30f2b3d737', '6d23e1e5-8841-4ddf-b834-ab914ec35490', NULL, 'active', 'shipped:hackernews', '{"action_id":"hackernews_front_page","name":"Front page","description":"Lists the stories on the front page.","tags":["news","technology","feed"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://news.ycombinator.com/rss","method":"GET"},"extract":{"kind":"feed","fields":{"comments_url":{"path":"comments","type":"url"}}}},"wheel_version":"4a840e1c0b57"}', NULL, 1795748371430, 1795748371430);
INSERT INTO public.actions VALUES ('hackernews_search', '20356ac589c7', '57babaf8-1203-4501-9595-999e427985cd', '6d23e1e5-8841-4ddf-b834-ab914ec35490', NULL, 'active', 'shipped:hackernews', '{"action_id":"hackernews_search","name":"Search stories","description":"Finds stories by words, best matches first.","tags":["news","technology","search"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"query":{"type":"string","description":"Words","minLength":1,"examples":["web scraping"]},"max_pages":{"type":"integer","description":"Pages of 20 stories","minimum":1,"maximum":5,"default":1}},"required":["query"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://hn.algolia.com/api/v1/search","method":"GET","query":{"query":"{query}","tags":"story","hitsPerPage":20}},"extract":{"kind":"json","list":"hits","fields":{"id":{"path":"objectID","type":"json","required":true},"title":{"path":"title","type":"text"},"url":{"path":"url","type":"url"},"author":{"path":"author","type":"json"},"points":{"path":"points","type":"json"},"comments":{"path":"num_comments","type":"json"},"created":{"path":"created_at","type":"date"}}},"paging":{"kind":"page","query":"page","first":0,"most":5},"total":{"path":"nbHits"}},"wheel_version":"20356ac589c7"}', NULL, 1795748371432, 1795748371432);
INSERT INTO public.actions VALUES ('arxiv_new_papers', '073dfc011aa7', '633c65d5-e7d8-49ee-9368-69ba44fb61d2', '061addd3-48b8-449a-ad8a-d17f48f8c5cd', NULL, 'active', 'shipped:arxiv', '{"action_id":"arxiv_new_papers","name":"New papers","description":"Lists the papers announced today in a subject; none on days without an announcement.","tags":["papers","science","feed"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"category":{"type":"string","description":"Subject","pattern":"^[a-z-]+(\\.[A-Za-z-]+)?$","examples":["cs.AI","math.NT"]}},"required":["category"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://rss.arxiv.org/atom/{category}","method":"GET"},"extract":{"kind":"feed"}},"wheel_version":"073dfc011aa7"}', NULL, 1795748371434, 1795748371434);
INSERT INTO public.actions VALUES ('arxiv_paper', '8155c955dfe6', 'ecd208a4-9424-49cc-9063-2cf99a921beb', '061addd3-48b8-449a-ad8a-d17f48f8c5cd', NULL, 'active', 'shipped:arxiv', '{"action_id":"arxiv_paper","name":"Paper","description":"Gives title, authors, abstract and files of one paper.","tags":["papers","science","details"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"id":{"type":"string","description":"Number","pattern":"^\\d{4}\\.\\d{4,5}(v\\d+)?$","examples":["1706.03762"]}},"required":["id"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://arxiv.org/abs/{id}","method":"GET"},"extract":{"kind":"html","fields":{"id":{"select":"meta[name=citation_arxiv_id]","attribute":"content","type":"text"},"title":{"select":"meta[name=citation_title]","attribute":"content","type":"text","required":true},"authors":{"select":"meta[name=citation_author]","attribute":"content","all":true,"type":"text"},"abstract":{"select":"meta[name=citation_abstract]","attribute":"content","type":"text"},"date":{"select":"meta[name=citation_date]","attribute":"content","type":"date","format":"yyyy/MM/dd"},"doi":{"select":"meta[name=citation_doi]","attribute":"content","type":"text"},"pdf_url":{"select":"meta[name=citation_pdf_url]","attribute":"content","type":"url"},"subject":{"select":".primary-subject","type":"text"}}}},"wheel_version":"8155c955dfe6"}', NULL, 1795748371435, 1795748371435);
INSERT INTO public.actions VALUES ('github_repository', '64ede3e8b1b9', '5722ab02-6a66-4dd8-a9fe-a9b2719bb4ff', '3d8b3d35-6f67-4ccb-a743-970dedf02ebd', NULL, 'active', 'shipped:github', '{"action_id":"github_repository","name":"Repository","description":"Describes a public repository.","tags":["code","repository"],"type":"extract","mode":"sync","auth_mode":"none","parameters":{"type":"object","properties":{"owner":{"type":"string","description":"User or organisation","pattern":"^[A-Za-z0-9-]+$","examples":["nodejs"]},"repository":{"type":"string","description":"Name","pattern":"^[A-Za-z0-9._-]+$","examples":["undici"]}},"required":["owner","repository"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://api.github.com/repos/{owner}/{repository}","method":"GET","headers":{"Accept":"application/vnd.github+json","X-GitHub-Api-Version":"2022-11-28"}},"extract":{"kind":"json","fields":{"name":{"path":"full_name","type":"json","required":true},"description":{"path":"description","type":"json"},"homepage":{"path":"homepage","type":"url"},"language":{"path":"language","type":"json"},"license":{"path":"license.spdx_id","type":"json"},"topics":{"path":"topics","type":"json"},"stars":{"path":"stargazers_count","type":"json"},"forks":{"path":"forks_count","type":"json"},"open_issues":{"path":"open_issues_count","type":"json"},"archived":{"path":"archived","type":"json"},"created":{"path":"created_at","type":"date"},"pushed":{"path":"pushed_at","type":"date"},"url":{"path":"html_url","type":"url"}}}},"wheel_version":"64ede3e8b1b9"}', NULL, 1795748371437, 1795748371437);
INSERT INTO public.actions VALUES ('github_releases', '89a1e4107299', '62b6930e-b99b-441a-b136-56fec23efc60', '3d8b3d35-6f67-4ccb-a743-970dedf02ebd', NULL, 'active', 'shipped:github', '{"action_id":"github_releases","name":"Releases","description":"Lists the releases of a public repository, newest first.","tags":["code","releases"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"owner":{"type":"string","description":"User or organisation","pattern":"^[A-Za-z0-9-]+$","examples":["nodejs"]},"repository":{"type":"string","description":"Name","pattern":"^[A-Za-z0-9._-]+$","examples":["undici"]},"max_pages":{"type":"integer","description":"Pages of 30 releases","minimum":1,"maximum":5,"default":1}},"required":["owner","repository"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://api.github.com/repos/{owner}/{repository}/releases","method":"GET","query":{"per_page":30},"headers":{"Accept":"application/vnd.github+json","X-GitHub-Api-Version":"2022-11-28"}},"extract":{"kind":"json","list":"@","fields":{"tag":{"path":"tag_name","type":"json","required":true},"name":{"path":"name","type":"json"},"prerelease":{"path":"prerelease","type":"json"},"published":{"path":"published_at","type":"date"},"notes":{"path":"body","type":"json"},"url":{"path":"html_url","type":"url"}}},"paging":{"kind":"next","link_header":true,"most":5},"total":{"path":"total_count"}},"wheel_version":"89a1e4107299"}', NULL, 1795748371439, 1795748371439);
INSERT INTO public.actions VALUES ('openlibrary_edition', '7f8a180d60b3', '9658a67f-cf8a-42d4-8ef3-8ddbb556e3a0', '21100cf0-2938-4a9c-81a9-68f81e28a3e1', NULL, 'active', 'shipped:openlibrary', '{"action_id":"openlibrary_edition","name":"Edition by ISBN","description":"Gives what the catalogue knows about the edition with an ISBN.","tags":["books","isbn","details"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"isbn":{"type":"string","description":"10 or 13 characters, no hyphens","pattern":"^\\d{9}(\\d{3})?[\\dX]$","examples":["9780140328721"]}},"required":["isbn"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://openlibrary.org/isbn/{isbn}.json","method":"GET"},"extract":{"kind":"json","fields":{"title":{"path":"title","type":"json","required":true},"subtitle":{"path":"subtitle","type":"json"},"publishers":{"path":"publishers","type":"json"},"publish_date":{"path":"publish_date","type":"json"},"pages":{"path":"number_of_pages","type":"json"},"isbn_10":{"path":"isbn_10","type":"json"},"isbn_13":{"path":"isbn_13","type":"json"},"subjects":{"path":"subjects","type":"json"},"url":{"path":"key","type":"url"}}}},"wheel_version":"7f8a180d60b3"}', NULL, 1795748371441, 1795748371441);
INSERT INTO public.actions VALUES ('openlibrary_subject', '62c779bd0b42', 'e5da4feb-c167-487c-b345-beff9b568f52', '21100cf0-2938-4a9c-81a9-68f81e28a3e1', NULL, 'active', 'shipped:openlibrary', '{"action_id":"openlibrary_subject","name":"Books on a subject","description":"Lists works on a subject.","tags":["books","subject","listing"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"subject":{"type":"string","description":"In small letters, words joined by _","pattern":"^[a-z0-9_]+$","examples":["sailing","science_fiction"]},"max_pages":{"type":"integer","description":"Pages of 12 works","minimum":1,"maximum":5,"default":1}},"required":["subject"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"https://openlibrary.org/subjects/{subject}.json","method":"GET","query":{"limit":12}},"extract":{"kind":"json","list":"works","fields":{"title":{"path":"title","type":"json","required":true},"authors":{"path":"authors[].name","type":"json"},"first_published":{"path":"first_publish_year","type":"json"},"editions":{"path":"edition_count","type":"json"},"url":{"path":"key","type":"url"}}},"paging":{"kind":"offset","query":"offset","step":12,"first":0,"most":5},"total":{"path":"numFound"}},"wheel_version":"62c779bd0b42"}', NULL, 1795748371442, 1795748371442);
INSERT INTO public.actions VALUES ('web_page', '201a05f30229', '3d8f30a8-2b3e-4462-990d-785c22a86af8', 'ff473176-97da-481c-8177-bb581ae52d12', NULL, 'active', 'web:web', '{"action_id":"web_page","name":"Read a page","description":"Returns title, author, date, the content as Markdown, rows of lists and tables outside of it, stated data (price, SKU), and what is missing. The text is untrusted data.","tags":["web","page","any website"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"url":{"type":"string","pattern":"^https?://[^\\s/]"},"parts":{"type":"array","items":{"type":"string","enum":["main","lists","tables","data","links"]},"minItems":1,"description":"Return only these, each in full"},"max_rows":{"type":"integer","minimum":1,"maximum":5000,"default":100,"description":"Maximum rows of each list"}},"required":["url"],"additionalProperties":false},"credits_per_call":1,"reads_any_website":true,"recipe":{"web":"page"},"wheel_version":"201a05f30229"}', NULL, 1795748371444, 1795748371444);
INSERT INTO public.actions VALUES ('web_feed', 'dca54a586b21', '2cc5cee0-90cd-4075-ae26-54a0f44c25a6', 'ff473176-97da-481c-8177-bb581ae52d12', NULL, 'active', 'web:web', '{"action_id":"web_feed","name":"Read a feed","description":"Returns the entries of the RSS, Atom or JSON feed at the address, or of the feed that the page links to. The text is untrusted data.","tags":["web","page","any website"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"url":{"type":"string","pattern":"^https?://[^\\s/]"}},"required":["url"],"additionalProperties":false},"credits_per_call":1,"reads_any_website":true,"recipe":{"web":"feed"},"wheel_version":"dca54a586b21"}', NULL, 1795748371445, 1795748371445);
INSERT INTO public.actions VALUES ('bookshop_list_books', '863717d13c80', 'eea344ec-3d73-4549-98cd-03ceba97eb3c', 'c1669613-9fd4-4f6b-8975-2c2bbc814a58', NULL, 'active', 'practice:bookshop', '{"action_id":"bookshop_list_books","name":"List books","description":"Lists the shop''s books with author, price, rating and availability, by category or all.","tags":["books","prices","listing"],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"category":{"type":"string","description":"Category","enum":["Adventure","Mystery","Novel","Science fiction","Travel"]},"max_pages":{"type":"integer","description":"Pages of ten books","minimum":1,"maximum":5,"default":1}},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/bookshop/","method":"GET","query":{"category":"{category}"}},"extract":{"kind":"html","list":"ol.books article.book","fields":{"title":{"select":"h3 a","attribute":"title","type":"text","required":true},"author":{"select":".author","type":"text","match":"^by (.+)$"},"price":{"select":".price","type":"number","required":true,"unit_field":"currency"},"rating":{"select":".star-rating","attribute":"class","type":"text","match":"star-rating (\\w+)","map":{"One":1,"Two":2,"Three":3,"Four":4,"Five":5}},"in_stock":{"select":".availability","type":"boolean","contains":"in stock"},"copies":{"select":".availability","type":"number","default":0,"match":"\\((\\d+) available\\)"},"cover_url":{"select":"img.cover","type":"image"},"url":{"select":"h3 a","type":"url"}}},"paging":{"kind":"next","select":".pager .next a","most":5},"total":{"select":"p.count","match":"^\\s*(\\d+) books"}},"wheel_version":"863717d13c80"}', NULL, 1795748371447, 1795748371447);
INSERT INTO public.actions VALUES ('bookshop_search', '6634cdf67c3d', '95f09847-1aa2-4a6b-a6d8-ae1f8c5bc852', 'c1669613-9fd4-4f6b-8975-2c2bbc814a58', NULL, 'active', 'practice:bookshop', '{"action_id":"bookshop_search","name":"Search books","description":"Finds books whose title or author contains a text.","tags":["books","search"],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"query":{"type":"string","description":"Part of a title or an author''s name","minLength":1,"examples":["london","verne"]},"max_pages":{"type":"integer","description":"Pages of ten books","minimum":1,"maximum":5,"default":1}},"required":["query"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/bookshop/search","method":"GET","query":{"q":"{query}"}},"extract":{"kind":"html","list":"ol.books article.book","fields":{"title":{"select":"h3 a","attribute":"title","type":"text","required":true},"author":{"select":".author","type":"text","match":"^by (.+)$"},"price":{"select":".price","type":"number","unit_field":"currency"},"in_stock":{"select":".availability","type":"boolean","contains":"in stock"},"url":{"select":"h3 a","type":"url"}}},"paging":{"kind":"next","select":".pager .next a","most":5},"total":{"select":"p.count","match":"^\\s*(\\d+) books"}},"wheel_version":"6634cdf67c3d"}', NULL, 1795748371449, 1795748371449);
INSERT INTO public.actions VALUES ('bookshop_book_details', '4b601f7ec61b', '4948f2eb-0203-406c-a618-2a019554179c', 'c1669613-9fd4-4f6b-8975-2c2bbc814a58', NULL, 'active', 'practice:bookshop', '{"action_id":"bookshop_book_details","name":"Book details","description":"Gives the details of one book: author, price, year, copies in stock and more.","tags":["books","details"],"type":"scrape","mode":"sync","auth_mode":"none","parameters":{"type":"object","properties":{"book":{"type":"string","description":"The end of the book''s address","pattern":"^[a-z0-9-]+$","examples":["treasure-island","middlemarch"]}},"required":["book"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/bookshop/book/{book}","method":"GET"},"extract":{"kind":"html","fields":{"title":{"select":"h1","type":"text","required":true},"author":{"select":"[itemprop=author]","type":"text"},"price":{"select":"[itemprop=price]","type":"number","required":true,"unit_field":"currency"},"category":{"select":".category","type":"text"},"year":{"select":".year","type":"number"},"in_stock":{"select":".availability","type":"boolean","contains":"in stock"},"copies":{"select":".availability","type":"number","default":0,"match":"\\((\\d+) available\\)"},"in_shop_since":{"select":"time","type":"date"},"cover_url":{"select":"#cover","type":"image"},"description":{"select":".description","type":"text"}}}},"wheel_version":"4b601f7ec61b"}', NULL, 1795748371450, 1795748371450);
INSERT INTO public.actions VALUES ('bookshop_catalogue', '22b7dbaea54f', '5453f686-64a6-4fdb-b4d7-58d54f0463c5', 'c1669613-9fd4-4f6b-8975-2c2bbc814a58', NULL, 'active', 'practice:bookshop', '{"action_id":"bookshop_catalogue","name":"Books of a category in full","description":"Lists all books of a category with their details; the final cost is one credit a book.","tags":["books","details","listing"],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"category":{"type":"string","enum":["Adventure","Mystery","Novel","Science fiction","Travel"],"examples":["Travel"]}},"required":["category"],"additionalProperties":false},"credits_per_call":3,"credits_expression":"count","credits_max":15,"recipe":{"defaults":{"max_pages":5},"request":{"url":"http://practice.invalid/bookshop/","method":"GET","query":{"category":"{category}"}},"extract":{"kind":"html","list":"ol.books article.book","fields":{"title":{"select":"h3 a","attribute":"title","type":"text","required":true},"url":{"select":"h3 a","type":"url","required":true}}},"paging":{"kind":"next","select":".pager .next a","most":5},"total":{"select":"p.count","match":"^\\s*(\\d+) books"},"details":{"url":"{url}","extract":{"kind":"html","fields":{"author":{"select":"[itemprop=author]","type":"text"},"price":{"select":"[itemprop=price]","type":"number","unit_field":"currency"},"category":{"select":".category","type":"text"},"year":{"select":".year","type":"number"},"in_stock":{"select":".availability","type":"boolean","contains":"in stock"},"copies":{"select":".availability","type":"number","default":0,"match":"\\((\\d+) available\\)"},"in_shop_since":{"select":"time","type":"date"},"cover_url":{"select":"#cover","type":"image"},"description":{"select":".description","type":"text"}}},"most":50}},"wheel_version":"22b7dbaea54f"}', NULL, 1795748371451, 1795748371451);
INSERT INTO public.actions VALUES ('bookshop_new_books', '7dd96d5f967d', '7a4ae2f9-40bd-4f5b-9ee2-51f950a02468', 'c1669613-9fd4-4f6b-8975-2c2bbc814a58', NULL, 'active', 'practice:bookshop', '{"action_id":"bookshop_new_books","name":"New books","description":"Lists the books that came into the shop lately, newest first, from its feed.","tags":["books","feed","news"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/bookshop/new.xml","method":"GET"},"extract":{"kind":"feed"}},"wheel_version":"7dd96d5f967d"}', NULL, 1795748371452, 1795748371452);
INSERT INTO public.actions VALUES ('stations_latest', '24462aed0362', 'db6142a3-92da-4219-8e77-6d06aa8f96df', '10afa7b3-631b-4f63-8662-65e9b2c74421', NULL, 'active', 'practice:stations', '{"action_id":"stations_latest","name":"Latest reports","description":"Lists all weather stations with elevation, temperature and wind of the latest report.","tags":["weather","table"],"type":"scrape","mode":"sync","auth_mode":"none","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/stations/","method":"GET"},"extract":{"kind":"table","table":"#stations","columns":{"station":{"header":"Station","type":"text","required":true},"elevation_m":{"header":"Elevation","type":"number"},"temperature_c":{"header":"Temperature","type":"number"},"wind_kmh":{"header":"Wind","type":"number"},"active":{"header":"State","type":"boolean","contains":"active"},"url":{"header":"Station","type":"url"}}}},"wheel_version":"24462aed0362"}', NULL, 1795748371454, 1795748371454);
INSERT INTO public.actions VALUES ('stations_readings', 'b1dc051c10db', '2f7fc258-575e-4144-a598-66d4236d73be', '10afa7b3-631b-4f63-8662-65e9b2c74421', NULL, 'active', 'practice:stations', '{"action_id":"stations_readings","name":"Readings of a station","description":"Gives the latest seven days of readings of one station.","tags":["weather","table","history"],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"station":{"type":"string","description":"The end of the station''s address, such as holm","pattern":"^[a-z]+$","examples":["holm","kestrel"]}},"required":["station"],"additionalProperties":false},"credits_per_call":2,"recipe":{"request":{"url":"http://practice.invalid/stations/{station}","method":"GET"},"extract":{"kind":"table","table":"table.readings","columns":{"date":{"header":"Day","type":"date","required":true,"format":"d.M.yyyy"},"low":{"header":"Low","type":"number","decimal":",","unit_field":"temperature_unit"},"high":{"header":"High","type":"number","decimal":","},"rain":{"header":"Rain","type":"number","unit_field":"rain_unit"}}}},"wheel_version":"b1dc051c10db"}', NULL, 1795748371454, 1795748371454);
INSERT INTO public.actions VALUES ('quotes_list', '67eac21b3432', 'a76b0945-c798-4f1a-8e9d-1fba3d835c7c', 'cc8509d2-b8fd-4a15-825a-7691c7f28f8f', NULL, 'active', 'practice:quotes', '{"action_id":"quotes_list","name":"List quotations","description":"Lists quotations.","tags":["quotations","json"],"type":"extract","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"author":{"type":"string","description":"Full name","examples":["Oscar Wilde"]},"tag":{"type":"string","description":"One tag","examples":["wisdom"]},"text":{"type":"string","description":"Part of the quotation"},"max_pages":{"type":"integer","description":"Pages of eight quotations","minimum":1,"maximum":5,"default":1}},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/quotes/api/quotes","method":"GET","query":{"author":"{author}","tag":"{tag}","text":"{text}","limit":8}},"extract":{"kind":"json","list":"data.quotes","fields":{"id":{"path":"id","type":"json"},"text":{"path":"text","type":"text","required":true},"author":{"path":"author","type":"json"},"year":{"path":"year","type":"json"},"tags":{"path":"tags","type":"json"}}},"paging":{"kind":"offset","query":"offset","step":8,"first":0,"most":5},"total":{"path":"meta.total"}},"wheel_version":"67eac21b3432"}', NULL, 1795748371457, 1795748371457);
INSERT INTO public.actions VALUES ('quotes_get', 'd2bb00f2ceef', '20be0e9e-dfab-48d0-a13b-0cba2c39e414', 'cc8509d2-b8fd-4a15-825a-7691c7f28f8f', NULL, 'active', 'practice:quotes', '{"action_id":"quotes_get","name":"One quotation","description":"Gives one quotation by its number.","tags":["quotations","json"],"type":"extract","mode":"sync","auth_mode":"none","parameters":{"type":"object","properties":{"id":{"type":"integer","description":"Number","minimum":1,"examples":[3]}},"required":["id"],"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/quotes/api/quotes/{id}","method":"GET"},"extract":{"kind":"json","fields":{"id":{"path":"id","type":"json"},"text":{"path":"text","type":"json"},"author":{"path":"author","type":"json"},"year":{"path":"year","type":"json"},"tags":{"path":"tags","type":"json"}}}},"wheel_version":"d2bb00f2ceef"}', NULL, 1795748371458, 1795748371458);
INSERT INTO public.actions VALUES ('members_orders', '20850e1746b4', 'fc71165d-b06a-43dd-b244-e5bf430bfa86', '90ce1cc0-aa90-42f0-8d2d-0c8c99af8ef5', NULL, 'active', 'practice:members', '{"action_id":"members_orders","name":"My orders","description":"Lists the signed-in member''s orders with date, total and state.","tags":["orders","account"],"type":"scrape","mode":"async","auth_mode":"required","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":2,"recipe":{"request":{"url":"http://practice.invalid/members/orders","method":"GET"},"extract":{"kind":"table","table":"#orders","columns":{"order":{"header":"Order","type":"text","required":true},"date":{"header":"Date","select":"time","type":"date"},"article":{"header":"Article","type":"text"},"pieces":{"header":"Pieces","type":"number"},"total":{"header":"Total","type":"number","decimal":",","unit_field":"currency"},"delivered":{"header":"State","type":"boolean","contains":"delivered"}}},"not_logged_in":[{"select":"form#sign-in"}]},"wheel_version":"20850e1746b4"}', NULL, 1795748371459, 1795748371459);
INSERT INTO public.actions VALUES ('members_offers', '492ea687d66a', '66d08235-fff2-4b78-9844-16b112fa6802', '90ce1cc0-aa90-42f0-8d2d-0c8c99af8ef5', NULL, 'active', 'practice:members', '{"action_id":"members_offers","name":"Offers","description":"Lists the club''s offers; signed in also the members'' prices and the offers for members only.","tags":["offers","prices"],"type":"scrape","mode":"async","auth_mode":"optional","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/members/offers","method":"GET"},"extract":{"kind":"html","list":"li.offer","fields":{"name":{"select":".name","type":"text","required":true},"price":{"select":".price","type":"number","decimal":",","unit_field":"currency"},"member_price":{"select":".member-price","type":"number","decimal":",","unit_field":"member_currency"}}},"not_logged_in":[{"text":"Hello, visitor"}]},"wheel_version":"492ea687d66a"}', NULL, 1795748371460, 1795748371460);
INSERT INTO public.actions VALUES ('members_opening_hours', 'a086beea2817', '84f5398d-cbea-4ebf-add1-57602b10a8ab', '90ce1cc0-aa90-42f0-8d2d-0c8c99af8ef5', NULL, 'active', 'practice:members', '{"action_id":"members_opening_hours","name":"Opening hours","description":"Gives the boathouse''s opening hours.","tags":["opening hours"],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://practice.invalid/members/","method":"GET"},"extract":{"kind":"table","table":"#opening-hours","columns":{"day":{"header":"Day","type":"text"},"opens":{"header":"Opens","type":"text"},"closes":{"header":"Closes","type":"text"}}}},"wheel_version":"a086beea2817"}', NULL, 1795748371461, 1795748371461);
INSERT INTO public.actions VALUES ('parts_list', '11c945faaa10', '7417b743-fdcb-45d2-b069-de5b56a60930', '05040c98-070d-4d3c-adcf-74daa01c39cb', NULL, 'active', 'file:bd4bcfe8-356c-4a4d-9177-bff3f762e33e/parts-api.json', '{"action_id":"parts_list","name":"Parts","description":"Lists the parts with price and stock.","tags":[],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{"max_pages":{"type":"integer","minimum":1,"maximum":10,"description":"Pages to read, of two parts each"}},"additionalProperties":false},"credits_per_call":1,"recipe":{"request":{"url":"http://127.0.0.1:9000/api/parts","method":"GET"},"extract":{"kind":"json","list":"parts","fields":{"id":{"path":"id","type":"json"},"name":{"path":"name","type":"json","required":true},"price":{"path":"price.amount","type":"json"},"currency":{"path":"price.currency","type":"json"},"in_stock":{"path":"in_stock","type":"json"}}},"paging":{"kind":"next","path":"next","most":10}},"wheel_version":"11c945faaa10"}', NULL, 1795748371464, 1795748371464);
INSERT INTO public.actions VALUES ('site-127-0-0-1_stations', '0d48b1560913', '1beb8c9d-a141-4a37-ab9c-ca007e23e8d3', 'd0a099a4-0c12-4f5a-a75b-a89af3c093f6', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'active', 'built', '{"action_id":"site-127-0-0-1_stations","name":"All stations","description":"Gives rows of station, temperature from 127.0.0.1. Built for: \"Stations\". No further pages were found on the example.","tags":["stations"],"type":"scrape","mode":"async","auth_mode":"none","parameters":{"type":"object","properties":{},"additionalProperties":false},"credits_per_call":1,"wheel_version":"0d48b1560913","columns":{"candidate":{"id":"t1","kind":"table","layout":"b4a09cc73afc"},"fields":{"station":{"label":"Station","kind":"text","path":"[[\"header\",\"Station\"]]","samples":["Holm Lighthouse","Birkdale","Saltmarsh"]},"temperature":{"label":"Latest report Temperature","kind":"number","path":"[[\"header\",\"Latest report Temperature\"]]","samples":["8.4","7.9","9.1"]}}},"recipe":{"request":{"url":"http://127.0.0.1:36725/stations/"},"extract":{"kind":"table","table":"table","columns":{"station":{"header":"Station","type":"text"},"temperature":{"header":"Latest report Temperature","type":"number","decimal":".","unit_field":"temperature_unit"}}}}}', NULL, 1795748373113, 1795748373583);


INSERT INTO public.api_keys VALUES ('0f754521-e016-42a3-aac4-f78bcf32033b', 'd155eeea-1c73-40de-b0cc-a1ac4ac2e15e', 'laptop', '2b6d3a4fc5346140885b19caf59768ac259f0447f342a944b9298cb615f661e0', 'svc_tX2H', 1795748370346, NULL, NULL);
INSERT INTO public.api_keys VALUES ('e2caedf9-766f-45bc-b854-58c3313400f0', 'd155eeea-1c73-40de-b0cc-a1ac4ac2e15e', 'lost', 'e8fdb3b21a8a27ad99e0fc81c2db3ed35d91ffa9ecee118c9f1ebe8edcb5916b', 'svc_RgZF', 1795748370682, NULL, 1795748371001);
INSERT INTO public.api_keys VALUES ('e7438d9c-812c-4833-9338-73c2cc518956', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'embedded', '6630db029f089131d5ca95f7a8dfbcf84a2bb5a1493c5338e06a689220741e00', 'svc_N55j', 1795748371399, 1795748371510, NULL);


INSERT INTO public.build_requests VALUES ('6c32fed7-3817-4789-8c99-ec8954cd44bd', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'f1011d2c-fe29-4307-b828-e96b74d2db06', 'http://127.0.0.1:36725/stations/', '127.0.0.1', 'Stations', NULL, 'private', NULL, 'success', 'site-127-0-0-1_stations', NULL, NULL, '["Fetching the page","5 candidates found","Testing the recipe","Publishing the action"]', '[{"station":"Holm Lighthouse","temperature":8.4,"temperature_unit":"°C"},{"station":"Birkdale","temperature":7.9,"temperature_unit":"°C"},{"station":"Saltmarsh","temperature":9.1,"temperature_unit":"°C"}]', '{"candidate":"t1","fields":{"station":"c1","temperature":"c4"}}', 'stations', NULL, NULL, NULL, NULL, 1795748372856, 1795748373114);
INSERT INTO public.build_requests VALUES ('a12aefc8-ea53-45de-bf04-1a8e56e6b9d6', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'ca235209-46c2-44c9-885d-1084ff75bb5c', 'http://127.0.0.1:36725/stations/nosuch', '127.0.0.1', 'Stations', NULL, 'private', 'site-127-0-0-1_stations', 'failed', NULL, 'The site has no page at this address (HTTP status 404)', 'SITE_UNREACHABLE', '["Fetching the page"]', NULL, NULL, NULL, NULL, NULL, '[]', NULL, 1795748373243, 1795748373267);


INSERT INTO public.catalogs VALUES ('a6699cbf-2add-46f1-bfdc-62d47469f97e', 'wikipedia', 'shipped:wikipedia', NULL, 'en.wikipedia.org', '{"slug":"wikipedia","name":"Wikipedia","url":"https://en.wikipedia.org/","category":"reference","description":"The free encyclopedia, in English.","auth_types":[],"auth_login_url":null,"logo_url":"https://en.wikipedia.org/favicon.ico"}', NULL, 1795748371424, 1795748371424);
INSERT INTO public.catalogs VALUES ('6d23e1e5-8841-4ddf-b834-ab914ec35490', 'hackernews', 'shipped:hackernews', NULL, 'news.ycombinator.com', '{"slug":"hackernews","name":"Hacker News","url":"https://news.ycombinator.com/","category":"news","description":"Technology news and their discussion.","auth_types":[],"auth_login_url":null,"logo_url":"https://news.ycombinator.com/favicon.ico"}', NULL, 1795748371429, 1795748371429);
INSERT INTO public.catalogs VALUES ('061addd3-48b8-449a-ad8a-d17f48f8c5cd', 'arxiv', 'shipped:arxiv', NULL, 'arxiv.org', '{"slug":"arxiv","name":"arXiv","url":"https://arxiv.org/","category":"science","description":"Open archive of scientific papers.","auth_types":[],"auth_login_url":null,"logo_url":"https://arxiv.org/favicon.ico"}', NULL, 1795748371433, 1795748371433);
INSERT INTO public.catalogs VALUES ('3d8b3d35-6f67-4ccb-a743-970dedf02ebd', 'github', 'shipped:github', NULL, 'github.com', '{"slug":"github","name":"GitHub","url":"https://github.com/","category":"development","description":"Public repositories and their releases.","auth_types":[],"auth_login_url":null,"logo_url":"https://github.com/favicon.ico"}', NULL, 1795748371437, 1795748371437);
INSERT INTO public.catalogs VALUES ('21100cf0-2938-4a9c-81a9-68f81e28a3e1', 'openlibrary', 'shipped:openlibrary', NULL, 'openlibrary.org', '{"slug":"openlibrary","name":"Open Library","url":"https://openlibrary.org/","category":"reference","description":"A catalogue of books, by the Internet Archive.","auth_types":[],"auth_login_url":null,"logo_url":"https://openlibrary.org/favicon.ico"}', NULL, 1795748371440, 1795748371440);
INSERT INTO public.catalogs VALUES ('ff473176-97da-481c-8177-bb581ae52d12', 'web', 'web:web', NULL, 'web.example', '{"slug":"web","name":"Any public page","url":"https://web.example/","category":"web","description":"Reads any public page, or its feed, in one call.","logo_url":"https://web.example/favicon.ico","auth_types":[],"auth_login_url":null}', NULL, 1795748371443, 1795748371443);
INSERT INTO public.catalogs VALUES ('c1669613-9fd4-4f6b-8975-2c2bbc814a58', 'bookshop', 'practice:bookshop', NULL, 'practice.invalid', '{"slug":"bookshop","name":"Harbour Street Books (practice)","url":"http://practice.invalid/bookshop/","category":"commerce","description":"Practice site: a second-hand bookshop with prices, ratings and stock.","auth_types":[],"auth_login_url":null,"logo_url":"http://practice.invalid/favicon.ico"}', NULL, 1795748371446, 1795748371446);
INSERT INTO public.catalogs VALUES ('10afa7b3-631b-4f63-8662-65e9b2c74421', 'stations', 'practice:stations', NULL, 'practice.invalid', '{"slug":"stations","name":"Northern Weather Stations (practice)","url":"http://practice.invalid/stations/","category":"weather","description":"Practice site: weather stations and their readings, in tables.","auth_types":[],"auth_login_url":null,"logo_url":"http://practice.invalid/favicon.ico"}', NULL, 1795748371453, 1795748371453);
INSERT INTO public.catalogs VALUES ('cc8509d2-b8fd-4a15-825a-7691c7f28f8f', 'quotes', 'practice:quotes', NULL, 'practice.invalid', '{"slug":"quotes","name":"Library of quotations (practice)","url":"http://practice.invalid/quotes/","category":"reference","description":"Practice site: old quotations through a JSON interface.","auth_types":[],"auth_login_url":null,"logo_url":"http://practice.invalid/favicon.ico"}', NULL, 1795748371456, 1795748371456);
INSERT INTO public.catalogs VALUES ('90ce1cc0-aa90-42f0-8d2d-0c8c99af8ef5', 'members', 'practice:members', NULL, 'practice.invalid', '{"slug":"members","name":"Riverside Rowing Club (practice)","url":"http://practice.invalid/members/","category":"sports","description":"Practice site: a club whose members sign in (user demo or demo2, password demo).","auth_types":["credentials"],"auth_login_url":"http://practice.invalid/members/login","login":{"fields":[{"name":"username","type":"string","required":true,"description":"User name; demo on the practice site"},{"name":"password","type":"password","required":true,"description":"Password; demo on the practice site"}],"recipe":{"page":"http://practice.invalid/members/login","form":{"select":"form#sign-in","fields":{"username":"{username}","password":"{password}"}},"success":{"select":"a.sign-out"},"failures":[{"code":"BAD_PASSWORD","when":{"select":".notice.wrong-password"}},{"code":"ACCOUNT_LOCKED","when":{"select":".notice.locked"}},{"code":"MFA_REQUIRED","when":{"select":"form#one-time-code"}},{"code":"CAPTCHA_REQUIRED","when":{"select":".captcha"}}],"user":".user","session_cookies":["members_session"],"timeout_ms":6000}},"logo_url":"http://practice.invalid/favicon.ico"}', NULL, 1795748371459, 1795748371459);
INSERT INTO public.catalogs VALUES ('05040c98-070d-4d3c-adcf-74daa01c39cb', 'parts', 'file:bd4bcfe8-356c-4a4d-9177-bff3f762e33e/parts-api.json', NULL, '127.0.0.1', '{"slug":"parts","name":"Parts shop (API)","url":"http://127.0.0.1:9000/","category":"commerce","description":"The shop''s own JSON API","auth_types":[],"auth_login_url":null,"logo_url":"http://127.0.0.1:9000/favicon.ico"}', NULL, 1795748371462, 1795748371462);
INSERT INTO public.catalogs VALUES ('d0a099a4-0c12-4f5a-a75b-a89af3c093f6', 'site-127-0-0-1', 'built', '0e40c07c-c733-4842-89cc-df3e4b3d3811', '127.0.0.1', '{"slug":"site-127-0-0-1","name":"127.0.0.1","url":"http://127.0.0.1:36725/","category":"web","description":"Data from 127.0.0.1","logo_url":"http://127.0.0.1:36725/favicon.ico","auth_types":[],"auth_login_url":null}', NULL, 1795748373111, 1795748373111);




INSERT INTO public.credentials VALUES ('17943381-d712-41de-8ee9-9a7c4fa5194c', 'a587b7bb-12ae-4fb5-80f5-39d88491c0c9', 'credentials', 'active', 1795755572587, 1795748372646, 1795748372613, 'demo', 1795748372613, 'fe7fe66b-1fe4-4648-bb53-dabc0e3bde84', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiZmU3ZmU2NmItMWZlNC00NjQ4LWJiNTMtZGFiYzBlM2JkZTg0IiwiY3JlZGVudGlhbCI6IjE3OTQzMzgxLWQ3MTItNDFkZS04ZWU5LTlhN2M0ZmE1MTk0YyJ9..w2_D4EEWvIkni0b1.1uG8GxUHz5C4uUAkgdqzasaVXm7yqAcyJg327fdwQY6Z-8qAY-LTAXLETI9hl-cGudy9rj1BNF9lqED5LlfAMOMSG6ZgcrIvf3ekd0rSOGah-CErliEmR74c193tANsL_PZD2RokAkbYnlC3Gq239IJQpS2sjz0wiVxcF0RRJPEj8vDbzJfSjiMa_8_Pd1-X4e_BmtU0XaYrHcgyP-rWrCF62NczYok9uJBREmsTtoYw5criDEzqrywxhC4hHAbV5iZ3Pz6EPvvIuGwy9YrG9rOGqqbflPgXpnlfJTwKmolrGB_nl4ZS2LZtdyf1jHxjBC8_yfRWfbvlLLT8NA4_7LaAYC5wxxzWrt6xv34disOGaI4fOKTxoCkhKzfeq_XQQ_I1tRdm11g1QTWS0e7BlQ5iiDSNUmam1GCoidu6i8EnBfdweU18Zkuynq2Xs36a5QTeXObcFizg4qNW5g5wlqetbjio3F4eLb7TK-8SPIwN5awNVW9BdwlIsncYmU6t2OghtLdgj2HXds9PnRi3ZbB5gYtbU7ojvlQQsgNsacH34pDla6tX1rwbGDEgitLBwzUTuGeVlyoIOTWgb5cOtBOQTiGLZidQIR24dYjmzyFmU6KjMzWyWGbmDbD-L31IeLkwgUi_V0ETDc5Bv6r-YZQCCJCQSZ1ypjs0I6YrciPz95HthleJIbiaAjOzBzOdPqeB6sYG6M3HWIRY0mjdhwL0aJRU9L0V_VE6bgr-ms9pfCu0_QenUUBMBzck5J-6WtNxTu4AwY0X392wHgzrw5Q9LljYFMRTpuxbQEENoAm0CagR5Xq3rw37M9ELmML6cb9vbtiVWvdH2xD13m3qENmnxqIDGxG1DHqQBXnWq8ShEvMBzF4TLoKX6WhIzZ4tfFHAf4P4vIFc8Bv-BoUZYfIUX_K4WbcHSNIqaXg7fNZgol_MJSWceJQp60A7cjjlNgw6q0Ghr5uVzDMbaIO7iGHbmFAcoEUp056HJSD99f0JvWh3PESnTUfSCuXMgKJPc45g4z9FrUw_AGzIdHE8-B2_j4O63qhkvr4tOvz69ORDHXY9hupxVIfU1cL14PDfCy3PYrTBsadSqyn8YeHdkONVUel41kLJEn-p1hhB91MgpIizszo323Rgs34mPSdQzKHcPRZX7URLybRBtcLS8oUI5bodHAZVP5S9Yp2zPXIyLWpQVAtisR9Q9qatT2o0vvz7g42-dxq04sgM2sTHKU7GX_c0DA-d1_YX3wVQGMDwHrR8svEC25ba9VTeeTbyM-JF8RgVhQ.4cYKyfVkdNASquYvv6drUQ');




INSERT INTO public.gateway_group VALUES ('batch-ac21aee0-f54d-4d73-9728-cf5702c8b8a7', 'a40180bca29cd0297fea170fd2119140', 'quotes_get', '2df0e9cc6ff9f794b83bc211f972fdebea08148094d68e104a9b21dbf52e96ea', 0, NULL, NULL, NULL, 1795748372299);


INSERT INTO public.gateway_intent VALUES ('f6fe89ff-acd3-4c17-b1c6-cf738d8c5c0e', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'quotes_get', '5d06343eb4dd8e4ba19759e1621b4eb82050fe4580f10b071f39980755dfecb8', 0, 'delivered', 1, 1, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a', 1795748491766, 1, 'local-f6fe89ff-acd3-4c17-b1c6-cf738d8c5c0e', NULL, 'completed', 1795748371765, 1795748372055, 1795748372055, NULL, 1795748372280, NULL, '{"id":1}', NULL, NULL, NULL, 'd2bb00f2ceef', NULL);
INSERT INTO public.gateway_intent VALUES ('613dd712-22dc-4eae-b397-3d784865f940', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'bookshop_list_books', '5d5ce3ded5b3783feeca061c555d5f62fd725f0668e0d95a33cc1c642b48a39f', 0, 'delivered', 1, 1, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a', 1795748402071, 1, '925d5629-62ea-4fa0-abd3-4706611505d2', 168, 'completed', 1795748372071, 1795748372087, 1795748372276, NULL, 1795748372537, NULL, '{}', NULL, NULL, NULL, '863717d13c80', NULL);
INSERT INTO public.gateway_intent VALUES ('d8decbc9-e3d4-4fec-b0aa-8158b77de0f5', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'quotes_get', 'c4798cae918804d2549e107e21f57db29043ccd68326440f453cdf32e870882b', 0, 'delivered', 1, 1, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a:e712a6b6-834a-4af4-850e-5df30d4b39d1', 1795748492305, 1, 'local-d8decbc9-e3d4-4fec-b0aa-8158b77de0f5', NULL, 'completed', 1795748372305, 1795748372350, 1795748372350, NULL, 1795748372837, NULL, '{"id":2}', NULL, NULL, 'batch-ac21aee0-f54d-4d73-9728-cf5702c8b8a7', 'd2bb00f2ceef', NULL);
INSERT INTO public.gateway_intent VALUES ('31e1e922-026e-4663-8e95-61db4446899d', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'quotes_get', '4686cb898c2e58685a8417732abc6e90f253b1acd285cecec09e13141725a5e7', 0, 'delivered', 1, 1, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a:b3a9e3cb-ac7a-4e4e-b259-8efdd56dbc8b', 1795748492308, 1, 'local-31e1e922-026e-4663-8e95-61db4446899d', NULL, 'completed', 1795748372308, 1795748372524, 1795748372524, NULL, 1795748372838, NULL, '{"id":3}', NULL, NULL, 'batch-ac21aee0-f54d-4d73-9728-cf5702c8b8a7', 'd2bb00f2ceef', NULL);
INSERT INTO public.gateway_intent VALUES ('674b8281-74d3-4b70-ae02-c513c0417a9b', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'members_orders', 'b3d0bada635b71140a0a93eac2edefffc00b786138ba22f262a57844048cd5d0', 0, 'delivered', 2, 2, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a', 1795748402639, 1, '2486e20e-4d7f-4a33-acef-4da84878edd8', 138, 'completed', 1795748372639, 1795748372653, 1795748372835, NULL, 1795748373235, 'home', '{}', NULL, NULL, NULL, '20850e1746b4', NULL);
INSERT INTO public.gateway_intent VALUES ('689fa1bc-c711-442d-904e-a21885138f9b', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'build', 'http://127.0.0.1:36725/stations/', 'c74b69de0bdf5385bbd6ea8bd72edb84a1df2728601e72ce37c17576889b08a8', 0, 'delivered', 25, 25, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a', 1795748402844, 1, '6c32fed7-3817-4789-8c99-ec8954cd44bd', NULL, 'completed', 1795748372844, 1795748372875, 1795748373153, NULL, 1795748373576, NULL, '{"choose":{"candidate":"t1","fields":{"station":"c1","temperature":"c4"}},"goal":"Stations","name":"stations"}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.gateway_intent VALUES ('2ba7917a-77c8-44f4-b7ff-67d5da9846aa', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'site-127-0-0-1_stations', '80f1c0dcd636413349bcb7b000cbcd80f20cf7755ba5c5be2395c9f4ba699382@1795748373641', 0, 'delivered', 1, 1, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a:fd8f185c-c0a4-4bd1-b5ba-e4ebd5fb3e07', 1795748403658, 1, 'd61bc2df-f647-40ac-85f1-234c26bcb2e1', 31, 'completed', 1795748373658, 1795748373670, 1795748373732, NULL, 1795748374033, NULL, '{}', NULL, NULL, 'watch-70f83561-f22c-47ab-83da-71eff1eb0c38', '0d48b1560913', NULL);
INSERT INTO public.gateway_intent VALUES ('787fe944-e372-4b32-84ee-7600f26e4099', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'build', 'http://127.0.0.1:36725/stations/nosuch', 'd9aa3b38ac77f99bf881ea0754c7106a084552cafe99e6c3188879e3cd7e3db3', 0, 'delivered', 25, 0, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a', 1795748403238, 1, 'a12aefc8-ea53-45de-bf04-1a8e56e6b9d6', NULL, 'failed', 1795748373238, 1795748373254, 1795748373519, NULL, 1795748374042, NULL, '{"force":true,"goal":"Stations"}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.gateway_intent VALUES ('c003998d-d4cd-4969-8623-504eed51a404', 'a40180bca29cd0297fea170fd2119140', 'a40180bca29cd0297fea170fd2119140', 'run', 'quotes_get', '9f60676b7984095422dd3266098a6349aa324bd6af8bf604f2a919c58f40eaca', 1, 'finished', 1, 1, 'host:17273:76f3b589-14fd-4b39-874a-df89af1d130a', 1795748494045, 1, 'local-c003998d-d4cd-4969-8623-504eed51a404', NULL, 'completed', 1795748374045, 1795748374063, 1795748374063, NULL, NULL, NULL, '{"id":4}', NULL, NULL, NULL, 'd2bb00f2ceef', NULL);


INSERT INTO public.gateway_member VALUES ('batch-ac21aee0-f54d-4d73-9728-cf5702c8b8a7', 0, '{"id":2}', 'd8decbc9-e3d4-4fec-b0aa-8158b77de0f5', NULL);
INSERT INTO public.gateway_member VALUES ('batch-ac21aee0-f54d-4d73-9728-cf5702c8b8a7', 1, '{"id":3}', '31e1e922-026e-4663-8e95-61db4446899d', NULL);


INSERT INTO public.gateway_profile VALUES ('a40180bca29cd0297fea170fd2119140', 'bookshop_list_books', '', '{"runs":[{"at":1795748372273,"call":"5d5ce3ded5b3","texts":"97d170e1550e","rows":10,"list":"items","fields":{"title":{"fill":1,"kinds":["text"],"values":3},"author":{"fill":1,"kinds":["text"],"values":3},"price":{"fill":1,"kinds":["number"],"values":3},"currency":{"fill":1,"kinds":["text"],"values":1},"rating":{"fill":1,"kinds":["number"],"values":3},"in_stock":{"fill":1,"kinds":["boolean"],"values":2},"copies":{"fill":1,"kinds":["number"],"values":3},"cover_url":{"fill":1,"kinds":["address"],"values":3},"url":{"fill":1,"kinds":["address"],"values":3}}}],"known":{"5d5ce3ded5b3":{"r4NPAY":{"title":"rFDl9M","author":"uD/1aV","price":"WtsgGG","currency":"kUVu+O","rating":"G2RTiS","in_stock":"fLbvuY","copies":"tlifxq","url":"oSG5xe"},"iADCze":{"title":"e+P0Pa","author":"/fa66l","price":"qGHGNY","currency":"kUVu+O","rating":"NWoZK3","in_stock":"X/5TO4","copies":"F7oHkU","url":"3B5cO7"},"ZDrX3E":{"title":"x4e9ul","author":"JPG01J","price":"0Xo7Y0","currency":"kUVu+O","rating":"d95o2u","in_stock":"X/5TO4","copies":"Ct58LP","url":"WstCZX"},"2ZSMK+":{"title":"C2JpC0","author":"20q/GR","price":"6SxVgR","currency":"kUVu+O","rating":"rDR41p","in_stock":"X/5TO4","copies":"kCujza","url":"0Ji/xF"},"6mVAJ9":{"title":"bV0Ed4","author":"Ze9Irv","price":"0fFWg8","currency":"kUVu+O","rating":"2kuSN7","in_stock":"X/5TO4","copies":"rDR41p","url":"uHw8bN"},"hJD6ZU":{"title":"/2C/Kh","author":"pfo3Xb","price":"dkUR8z","currency":"kUVu+O","rating":"G2RTiS","in_stock":"X/5TO4","copies":"d95o2u","url":"6WgLGw"},"D0E+zw":{"title":"QSI+sD","author":"tGdWrC","price":"s/tNtT","currency":"kUVu+O","rating":"NWoZK3","in_stock":"X/5TO4","copies":"NWoZK3","url":"wrrkqg"},"PuRzr4":{"title":"eqAj8B","author":"Ze9Irv","price":"XHnhFj","currency":"kUVu+O","rating":"d95o2u","in_stock":"X/5TO4","copies":"e1IAm2","url":"FIF5eQ"},"BpSFL4":{"title":"t1FliX","author":"uD/1aV","price":"HRqIo1","currency":"kUVu+O","rating":"rDR41p","in_stock":"X/5TO4","copies":"sdV4ER","url":"KmPmZe"},"Qb3cPi":{"title":"hQO2Qu","author":"ixfNwY","price":"VjFepQ","currency":"kUVu+O","rating":"2kuSN7","in_stock":"X/5TO4","copies":"/l27zq","url":"cE587m"}}}}', 1795748372276);
INSERT INTO public.gateway_profile VALUES ('a40180bca29cd0297fea170fd2119140', 'members_orders', 'home', '{"runs":[{"at":1795748372833,"call":"b3d0bada635b","texts":"97d170e1550e","rows":3,"list":"items","fields":{"order":{"fill":1,"kinds":["text"],"values":3},"date":{"fill":1,"kinds":["date"],"values":3},"article":{"fill":1,"kinds":["text"],"values":3},"pieces":{"fill":1,"kinds":["number"],"values":2},"total":{"fill":1,"kinds":["number"],"values":3},"currency":{"fill":1,"kinds":["text"],"values":1},"delivered":{"fill":1,"kinds":["boolean"],"values":2}}}],"known":{"b3d0bada635b":{"w5TtaH":{"date":"IVA7+J","article":"VjhtJM","pieces":"NWoZK3","total":"Ct58LP","currency":"GVywDW","delivered":"X/5TO4"},"FTvQvd":{"date":"/YWLXM","article":"jukTkv","pieces":"2kuSN7","total":"ClfLU7","currency":"GVywDW","delivered":"X/5TO4"},"HSPvSP":{"date":"Dzwlov","article":"B5TKWQ","pieces":"NWoZK3","total":"zgF5WD","currency":"GVywDW","delivered":"fLbvuY"}}}}', 1795748372835);
INSERT INTO public.gateway_profile VALUES ('a40180bca29cd0297fea170fd2119140', 'site-127-0-0-1_stations', '', '{"runs":[{"at":1795748373730,"call":"80f1c0dcd636","texts":"97d170e1550e","rows":12,"list":"items","fields":{"station":{"fill":1,"kinds":["text"],"values":3},"temperature":{"fill":1,"kinds":["number"],"values":3},"temperature_unit":{"fill":1,"kinds":["text"],"values":1}}}],"known":{"80f1c0dcd636":{"dzS+LZ":{"temperature":"Uyy1tw","temperature_unit":"ar6j1Z"},"DsQ2oR":{"temperature":"Smi/I4","temperature_unit":"ar6j1Z"},"OwU4/e":{"temperature":"0oaQlU","temperature_unit":"ar6j1Z"},"QZ2rzp":{"temperature":"yrGWOW","temperature_unit":"ar6j1Z"},"Mxa1FL":{"temperature":"usSwNB","temperature_unit":"ar6j1Z"},"Xme1Tt":{"temperature":"Q4C5PF","temperature_unit":"ar6j1Z"},"GwiRWT":{"temperature":"9bfm02","temperature_unit":"ar6j1Z"},"b/jWbs":{"temperature":"4NU6mv","temperature_unit":"ar6j1Z"},"+ARVzA":{"temperature":"aXhKcJ","temperature_unit":"ar6j1Z"},"S7tYnx":{"temperature":"/l27zq","temperature_unit":"ar6j1Z"},"JXZi1q":{"temperature":"AVuNy8","temperature_unit":"ar6j1Z"},"SuMv3F":{"temperature":"pprg+Z","temperature_unit":"ar6j1Z"}}}}', 1795748373732);
INSERT INTO public.gateway_profile VALUES ('a40180bca29cd0297fea170fd2119140', 'quotes_get', '', '{"runs":[{"at":1795748372053,"call":"5d06343eb4dd","texts":"97d170e1550e","rows":1,"fields":{"source_url":{"fill":1,"kinds":["address"],"values":1},"id":{"fill":1,"kinds":["number"],"values":1},"text":{"fill":1,"kinds":["text"],"values":1},"author":{"fill":1,"kinds":["text"],"values":1},"year":{"fill":1,"kinds":["number"],"values":1},"tags":{"fill":1,"kinds":["list"],"values":1}}},{"at":1795748372345,"call":"c4798cae9188","texts":"97d170e1550e","rows":1,"fields":{"source_url":{"fill":1,"kinds":["address"],"values":1},"id":{"fill":1,"kinds":["number"],"values":1},"text":{"fill":1,"kinds":["text"],"values":1},"author":{"fill":1,"kinds":["text"],"values":1},"year":{"fill":1,"kinds":["number"],"values":1},"tags":{"fill":1,"kinds":["list"],"values":1}}},{"at":1795748372523,"call":"4686cb898c2e","texts":"97d170e1550e","rows":1,"fields":{"source_url":{"fill":1,"kinds":["address"],"values":1},"id":{"fill":1,"kinds":["number"],"values":1},"text":{"fill":1,"kinds":["text"],"values":1},"author":{"fill":1,"kinds":["text"],"values":1},"year":{"fill":1,"kinds":["number"],"values":1},"tags":{"fill":1,"kinds":["list"],"values":1}}},{"at":1795748374061,"call":"9f60676b7984","texts":"97d170e1550e","rows":1,"fields":{"source_url":{"fill":1,"kinds":["address"],"values":1},"id":{"fill":1,"kinds":["number"],"values":1},"text":{"fill":1,"kinds":["text"],"values":1},"author":{"fill":1,"kinds":["text"],"values":1},"year":{"fill":1,"kinds":["number"],"values":1},"tags":{"fill":1,"kinds":["list"],"values":1}}}],"known":{"c4798cae9188":{},"4686cb898c2e":{},"9f60676b7984":{}}}', 1795748374063);


INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', 'f6fe89ff-acd3-4c17-b1c6-cf738d8c5c0e', 1795748372055, 299, '\x7b226a6f625f6964223a2265353363363964312d323238312d343435322d393932312d663139333337363034356663222c22737461747573223a22636f6d706c65746564222c2264617461223a7b22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f71756f7465732f6170692f71756f7465732f31222c226964223a312c2274657874223a22546f2062652c206f72206e6f7420746f2062652c207468617420697320746865207175657374696f6e2e222c22617574686f72223a2257696c6c69616d205368616b65737065617265222c2279656172223a313630332c2274616773223a5b22646f756274222c226c696665225d7d2c22637265646974735f75736564223a312c22657865637574696f6e5f6d73223a3235367d');
INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', '613dd712-22dc-4eae-b397-3d784865f940', 1795748372276, 2932, '\x7b22737461747573223a22636f6d706c65746564222c2264617461223a7b22636f756e74223a31302c2272657475726e6564223a31302c22746f74616c223a34332c22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f222c226861735f6d6f7265223a747275652c226e657874223a223130206f6620343320726f77732c20616e6420746865726520617265206d6f72652e205468652073616d652063616c6c2077697468206d61785f7061676573203520636f7374732031206372656469742e222c226974656d73223a5b7b227469746c65223a2254726561737572652049736c616e64222c22617574686f72223a22526f62657274204c6f7569732053746576656e736f6e222c227072696365223a352e39392c2263757272656e6379223a22474250222c22726174696e67223a342c22696e5f73746f636b223a66616c73652c22636f70696573223a302c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f74726561737572652d69736c616e642e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f74726561737572652d69736c616e64227d2c7b227469746c65223a2241726f756e642074686520576f726c6420696e204569676874792044617973222c22617574686f72223a224a756c6573205665726e65222c227072696365223a31332e352c2263757272656e6379223a22474250222c22726174696e67223a312c22696e5f73746f636b223a747275652c22636f70696573223a31312c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f61726f756e642d7468652d776f726c642d696e2d6569676874792d646179732e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f61726f756e642d7468652d776f726c642d696e2d6569676874792d64617973227d2c7b227469746c65223a2254686520436f756e74206f66204d6f6e74652043726973746f222c22617574686f72223a22416c6578616e6472652044756d6173222c227072696365223a32312e352c2263757272656e6379223a22474250222c22726174696e67223a332c22696e5f73746f636b223a747275652c22636f70696573223a392c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f7468652d636f756e742d6f662d6d6f6e74652d63726973746f2e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f7468652d636f756e742d6f662d6d6f6e74652d63726973746f227d2c7b227469746c65223a22526f62696e736f6e20437275736f65222c22617574686f72223a2244616e69656c204465666f65222c227072696365223a32392e39392c2263757272656e6379223a22474250222c22726174696e67223a352c22696e5f73746f636b223a747275652c22636f70696573223a372c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f726f62696e736f6e2d637275736f652e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f726f62696e736f6e2d637275736f65227d2c7b227469746c65223a225468652043616c6c206f66207468652057696c64222c22617574686f72223a224a61636b204c6f6e646f6e222c227072696365223a382e352c2263757272656e6379223a22474250222c22726174696e67223a322c22696e5f73746f636b223a747275652c22636f70696573223a352c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f7468652d63616c6c2d6f662d7468652d77696c642e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f7468652d63616c6c2d6f662d7468652d77696c64227d2c7b227469746c65223a224b696d222c22617574686f72223a2252756479617264204b69706c696e67222c227072696365223a31362e352c2263757272656e6379223a22474250222c22726174696e67223a342c22696e5f73746f636b223a747275652c22636f70696573223a332c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f6b696d2e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f6b696d227d2c7b227469746c65223a224b696e6720536f6c6f6d6f6e2773204d696e6573222c22617574686f72223a22482e2052696465722048616767617264222c227072696365223a32342e39392c2263757272656e6379223a22474250222c22726174696e67223a312c22696e5f73746f636b223a747275652c22636f70696573223a312c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f6b696e672d736f6c6f6d6f6e732d6d696e65732e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f6b696e672d736f6c6f6d6f6e732d6d696e6573227d2c7b227469746c65223a22546865205365612d576f6c66222c22617574686f72223a224a61636b204c6f6e646f6e222c227072696365223a33322e352c2263757272656e6379223a22474250222c22726174696e67223a332c22696e5f73746f636b223a747275652c22636f70696573223a31322c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f7468652d7365612d776f6c662e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f7468652d7365612d776f6c66227d2c7b227469746c65223a224b69646e6170706564222c22617574686f72223a22526f62657274204c6f7569732053746576656e736f6e222c227072696365223a31312e352c2263757272656e6379223a22474250222c22726174696e67223a352c22696e5f73746f636b223a747275652c22636f70696573223a31302c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f6b69646e61707065642e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f6b69646e6170706564227d2c7b227469746c65223a2254686520486f756e64206f6620746865204261736b657276696c6c6573222c22617574686f72223a2241727468757220436f6e616e20446f796c65222c227072696365223a31392e39392c2263757272656e6379223a22474250222c22726174696e67223a322c22696e5f73746f636b223a747275652c22636f70696573223a382c22636f7665725f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f636f766572732f7468652d686f756e642d6f662d7468652d6261736b657276696c6c65732e737667222c2275726c223a22687474703a2f2f3132372e302e302e313a33363732352f626f6f6b73686f702f626f6f6b2f7468652d686f756e642d6f662d7468652d6261736b657276696c6c6573227d5d7d2c22637265646974735f75736564223a312c22657865637574696f6e5f6d73223a3136387d');
INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', 'd8decbc9-e3d4-4fec-b0aa-8158b77de0f5', 1795748372350, 280, '\x7b226a6f625f6964223a2263353930333964322d353961382d346531312d623761632d396339653034623030343963222c22737461747573223a22636f6d706c65746564222c2264617461223a7b22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f71756f7465732f6170692f71756f7465732f32222c226964223a322c2274657874223a22416c6c207468617420676c697374657273206973206e6f7420676f6c642e222c22617574686f72223a2257696c6c69616d205368616b65737065617265222c2279656172223a313630302c2274616773223a5b22776973646f6d225d7d2c22637265646974735f75736564223a312c22657865637574696f6e5f6d73223a31367d');
INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', '31e1e922-026e-4663-8e95-61db4446899d', 1795748372524, 286, '\x7b226a6f625f6964223a2266386161623365312d626561332d346434372d396634622d613262396232356235636438222c22737461747573223a22636f6d706c65746564222c2264617461223a7b22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f71756f7465732f6170692f71756f7465732f33222c226964223a332c2274657874223a22427265766974792069732074686520736f756c206f66207769742e222c22617574686f72223a2257696c6c69616d205368616b65737065617265222c2279656172223a313630332c2274616773223a5b22776974222c226c616e6775616765225d7d2c22637265646974735f75736564223a312c22657865637574696f6e5f6d73223a3139347d');
INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', '674b8281-74d3-4b70-ae02-c513c0417a9b', 1795748372835, 539, '\x7b22737461747573223a22636f6d706c65746564222c2264617461223a7b22636f756e74223a332c2272657475726e6564223a332c226861735f6d6f7265223a66616c73652c22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f6d656d626572732f6f7264657273222c226974656d73223a5b7b226f72646572223a22522d31303432222c2264617465223a22323032362d31312d3032222c2261727469636c65223a22436c756220636170222c22706965636573223a312c22746f74616c223a392c2263757272656e6379223a22455552222c2264656c697665726564223a747275657d2c7b226f72646572223a22522d31303137222c2264617465223a22323032362d30392d3231222c2261727469636c65223a224f61722067726970732c2070616972222c22706965636573223a322c22746f74616c223a32382c2263757272656e6379223a22455552222c2264656c697665726564223a747275657d2c7b226f72646572223a22522d31303636222c2264617465223a22323032362d31312d3138222c2261727469636c65223a22576174657270726f6f66206261672c203230206c222c22706965636573223a312c22746f74616c223a32352e362c2263757272656e6379223a22455552222c2264656c697665726564223a66616c73657d5d7d2c22637265646974735f75736564223a322c22657865637574696f6e5f6d73223a3133387d');
INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', '2ba7917a-77c8-44f4-b7ff-67d5da9846aa', 1795748373732, 991, '\x7b22737461747573223a22636f6d706c65746564222c2264617461223a7b22636f756e74223a31322c2272657475726e6564223a31322c226861735f6d6f7265223a66616c73652c22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f73746174696f6e732f222c226974656d73223a5b7b2273746174696f6e223a22486f6c6d204c69676874686f757365222c2274656d7065726174757265223a382e342c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a224269726b64616c65222c2274656d7065726174757265223a372e392c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a2253616c746d61727368222c2274656d7065726174757265223a392e312c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a22557070657220436f72726965222c2274656d7065726174757265223a2d322e332c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a22476c656e204d756972222c2274656d7065726174757265223a332e362c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a225768696e6d6f6f72222c2274656d7065726174757265223a352e322c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a2253616e647769636b20486172626f7572222c2274656d7065726174757265223a392e362c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a224b65737472656c2043726167222c2274656d7065726174757265223a2d352e382c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a22416c6465726d657265222c2274656d7065726174757265223a362e372c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a2254686f726e6279204169726669656c64222c2274656d7065726174757265223a382c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a22456173742046656c6c222c2274656d7065726174757265223a302e342c2274656d70657261747572655f756e6974223a22c2b043227d2c7b2273746174696f6e223a224c6f7769636b222c2274656d7065726174757265223a382e382c2274656d70657261747572655f756e6974223a22c2b043227d5d7d2c22637265646974735f75736564223a312c22657865637574696f6e5f6d73223a33317d');
INSERT INTO public.gateway_result VALUES ('a40180bca29cd0297fea170fd2119140', 'c003998d-d4cd-4969-8623-504eed51a404', 1795748374063, 292, '\x7b226a6f625f6964223a2264633533373131652d373137642d346632622d616264382d323038313536663535343931222c22737461747573223a22636f6d706c65746564222c2264617461223a7b22736f757263655f75726c223a22687474703a2f2f3132372e302e302e313a33363732352f71756f7465732f6170692f71756f7465732f34222c226964223a342c2274657874223a2254686520636f75727365206f662074727565206c6f7665206e65766572206469642072756e20736d6f6f74682e222c22617574686f72223a2257696c6c69616d205368616b65737065617265222c2279656172223a313630302c2274616773223a5b226c6f7665225d7d2c22637265646974735f75736564223a312c22657865637574696f6e5f6d73223a377d');


INSERT INTO public.gateway_retention VALUES (0);


INSERT INTO public.gateway_schema_version VALUES (1126244949);












INSERT INTO public.gateway_watch VALUES ('watch-70f83561-f22c-47ab-83da-71eff1eb0c38', 'a40180bca29cd0297fea170fd2119140', 'site-127-0-0-1_stations', '7a57010b396beb3b3137df54e92149a3d1f098ed86e1b362c0ebd86ad4937bac', '{}', NULL, '1h', 'UTC', 1795748373641, 1795752066504, NULL, NULL, 1798340373641, 30, NULL, 1, 'station', NULL, '[]', NULL, '2ba7917a-77c8-44f4-b7ff-67d5da9846aa', '2ba7917a-77c8-44f4-b7ff-67d5da9846aa', NULL, 'station', '["items.station","items.temperature","items.temperature_unit"]', 'active', NULL, 0, 0, 0, 0, 0, 0, '6b18f3d1-b9a3-4067-b2f2-f48936d3f608', 1795748373652, 1795748373735);




INSERT INTO public.gateway_watch_run VALUES ('watch-70f83561-f22c-47ab-83da-71eff1eb0c38', 1795748373641, NULL, '2ba7917a-77c8-44f4-b7ff-67d5da9846aa', 'due', 0, 'first', NULL, NULL, NULL, NULL, 1795748374032);


INSERT INTO public.identities VALUES ('a587b7bb-12ae-4fb5-80f5-39d88491c0c9', '0e40c07c-c733-4842-89cc-df3e4b3d3811', '90ce1cc0-aa90-42f0-8d2d-0c8c99af8ef5', 'home', 1, 1795748372598);


INSERT INTO public.jobs VALUES ('f1011d2c-fe29-4307-b828-e96b74d2db06', 'build', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', NULL, NULL, NULL, NULL, '127.0.0.1:36725', 25, 25, 0, '\x7801abae0500017500f9', NULL, NULL, NULL, 241, 1795748372856, 1795748373116, 0, NULL, 1, NULL, 0, 1, '689fa1bc-c711-442d-904e-a21885138f9b', '590cd80aef7b2667530b753d98106e125ce46a16c7accd557ff706961b069acb');
INSERT INTO public.jobs VALUES ('e53c69d1-2281-4452-9921-f193376045fc', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'quotes_get', 'd2bb00f2ceef', '{"id":1}', NULL, '127.0.0.1:36725', 1, 1, 0, '\x780135c7410ac2301005d0ab84bf0e49d3620bb986820b11497534c1da69930928e2dd5d88bbf7de285cf3994e354ff088228bb7d6b583694c639ceffaa1ddd8b5b250b161497f3a68a40bbcd3107a0a3c76ac46d28ab39a5994fc2631884a454924b5562a927836d00855226778ecd334a5f050db18ee54160a99a0f1a290e15ddf741a126e05fe800bd751a031a52be1f8f90233653ae6', NULL, NULL, NULL, 256, 1795748371775, 1795748372044, 1795748381777, NULL, 1, NULL, 0, 1, 'f6fe89ff-acd3-4c17-b1c6-cf738d8c5c0e', 'afc27f4941654db6e83b27073dc702ad5e28223e08008d5fb1c94eff690b4c29');
INSERT INTO public.jobs VALUES ('925d5629-62ea-4fa0-abd3-4706611505d2', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'bookshop_list_books', '863717d13c80', '{}', NULL, '127.0.0.1:36725', 1, 1, 0, '\x78019d965b6fe2301085ffca685ef62509844b2f796b61b5dd5ea415adb60fab1532c990583836b21d28aafadf570ed0266c9b96bc014a46e77c3e73f033c6aa9016a3b0eba1265b6849c9f69b5596098c067d0f8d2a744cd3420b8c30b37619753a61ef34e806dd208cfa27a7bd6167a6d4c2646ad9410f3366a6b9d28491d5057928e9c962846117d41c067dd06a6d3c6032019b9126609ac03d1fc0434660584e10332160cd6d06397b9a2e594a0686102b630d84106b4ab80dd0436e293718fd7946cbad208cf04113338526f8690493097ac80a9b298d114ed48cb4855b557003f79656248d92e8e152f398301a06e7e71ec685d624e30d46f8e3f2177aa899e532c568e02197536355bcc068ce84210f63b5e46430eaba8f2bd25f84543e6b3a76a7d5e7a5d6c0ac52f4f06b9c1df0c301f8e2bd81b8d0aad8228647a545025cc2779e66760363b6315530d7852003bf494b7aa311f68361038db04a637bce7b1861d88a062b05fb36237fed04fb5cfa540af613b631c7d3f964608d964bdec8ed82cbe89d929660a4b9b1aacae942d013938926181739730877c9e9858dacfa1fb372816b119c8cfc72737d35f773a7d68f4bb5c74372b8df1d55c3335133ee960546ba30caa5e475abc64c721230a679f9fb9ec879f3320d3f4672da0a89de29f4e352e1f1200e06d4ec97e97095a4e6aeb3e0918b5ab35cb37801b74a26d53a396bcc44ef63006eed5a668209e12251ee1017c9f114ca381c4ca9a1b8e179f5f42745b2613a811bbe14ae255f57223c69b45f2bd37a7df45bd95ff0fc78b70b9e1f989329dc2ba17225bf19b8e3926a457915c08427a4e18aa529d32e03fbbc0f9af3de54972dfdcad4375ba9c6cf9dd236feff1b52e3e1727f4fcc7f54625e3df577f3deef359e78430986bd56085c560d317fadc4fc78efd5b76ba66f7822d97249b50dffecee1036ff0334d49dbb7ab558f7c55ee5f1ce5f5fadd976677d555e19762577c9cc82f48a0b515f820b6db342c348492661ac36a27a69f8a4f61b5aefac1506778a9953bdafbd5945f5f1681ac7e1cbdf977f2dd79f52', NULL, NULL, NULL, 168, 1795748372074, 1795748372251, 0, NULL, 1, NULL, 0, 1, '613dd712-22dc-4eae-b397-3d784865f940', 'd7df428fe5f2aa59cb42a3da6f3f724ef7731902c21c69a8cbe7dfee19d55935');
INSERT INTO public.jobs VALUES ('ca235209-46c2-44c9-885d-1084ff75bb5c', 'build', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'failed', NULL, NULL, NULL, NULL, '127.0.0.1:36725', 25, 0, 0, NULL, 'SITE_UNREACHABLE', 'The site has no page at this address (HTTP status 404)', NULL, 14, 1795748373243, 1795748373268, 0, NULL, 1, NULL, 0, 1, '787fe944-e372-4b32-84ee-7600f26e4099', 'abdc84826603f980eec181a556933660e23c4f0354f974be51e0ca7b3e547701');
INSERT INTO public.jobs VALUES ('c59039d2-59a8-4e11-b7ac-9c9e04b0049c', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'quotes_get', 'd2bb00f2ceef', '{"id":2}', NULL, '127.0.0.1:36725', 1, 1, 0, '\x780135c6c10a02211405d05f91bb16758c66e0edfa86162d22429ac728594efaa422faf7569dd5f9a0955e2f7cee3583104556b276f09371c6998136e3e4b7f6d18b70b3614dff7a68a419e435845f02c22e672531885a726ac2b5a9d4d4bd885a4a9e0d344297582a088794730a37b58fe1ca6de550191a6f0e15348cce6948581ae888676a73b9e1f4fd01730335d0', NULL, NULL, NULL, 16, 1795748372312, 1795748372342, 1795748382313, NULL, 1, NULL, 0, 1, 'd8decbc9-e3d4-4fec-b0aa-8158b77de0f5', '9c892f571d93e3311bc9b330e4efc3df191772babdba19942a60c0cc9fd07e5c');
INSERT INTO public.jobs VALUES ('f8aab3e1-bea3-4d47-9f4b-a2b9b25b5cd8', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'quotes_get', 'd2bb00f2ceef', '{"id":3}', NULL, '127.0.0.1:36725', 1, 1, 0, '\x780135cc3d0a02311006d0ab84af0ec9fee00a29bd828585880c3a6e82d1acc9c47511ef2e1676af7a6f9454f3898f3547387891c959db766bd398c6b4ae1fd6ddca3e6a122e96a6f0670f8d7086eb35845f02874de667904585a2c4b32aa946952e6a0e62a041557cca70d8851803ddd4d6d395cbc494191a0b53866b87e6f7d158e0f698834023d27dac34320e9f2f797a372e', NULL, NULL, NULL, 194, 1795748372313, 1795748372519, 1795748382315, NULL, 1, NULL, 0, 1, '31e1e922-026e-4663-8e95-61db4446899d', '9ba9f0fbf4453bc3899fd5faf6396c46cabe7f63dfac4747fa04153384f091b9');
INSERT INTO public.jobs VALUES ('2486e20e-4d7f-4a33-acef-4da84878edd8', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'members_orders', '20850e1746b4', '{}', '17943381-d712-41de-8ee9-9a7c4fa5194c', '127.0.0.1:36725', 2, 2, 0, '\x780195d1316bc3301005e0bf62de2cdb92d23889d6d0b910281d4a098a72490cb2654e52a104fff7e20c6d9ca1d0f1de70df3bee0a17729f6016024c29734fc7db70b171df05269893f5910462c8ec689fd9c3e092d260ea5ae955252b5929b368567a5977d41d88631df8481c21d026ea22ccfb15b70806bb52c9270d81a34d04032d75532a55ca29b39c5ae7a778ebf3a1707680c0d092a308a3045248d6c36c045c66a6de7dc1e0f97537ad23df7e124fed13671ac59c54ab07526e4aad66e48be5e2cced104531d896ef64fd23ebf5ffe9a679a0952ad57a46bfd9443c7008a7e260cfa2d0b2f077feefe57a59357f37b87d6bfc18bf0149fd8fbb', NULL, NULL, NULL, 138, 1795748372646, 1795748372793, 0, NULL, 1, NULL, 0, 1, '674b8281-74d3-4b70-ae02-c513c0417a9b', '4e3c7da1b06193739612f41c540caa4465c80487f8a6d21a3c834d3280f7b8ba');
INSERT INTO public.jobs VALUES ('d61bc2df-f647-40ac-85f1-234c26bcb2e1', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'site-127-0-0-1_stations', '0d48b1560913', '{}', NULL, '127.0.0.1:36725', 1, 1, 0, '\x78018dd2c14a03311080e1570973de66bb5bdb6d73ab452d584f553c8894b43b6d42b3c9324910297d279fc12793a207dd05c931817cf933e4043b176d0051941910864816ebef95927ed33842107b693c66e05da41d6e221910a04268459e1765c5877cc80b319a54e538f74106edaccf21031db0f1205e4ef0b30b0296ce346ca50f2a28173d4206019b16498678b969caaffeec6ca2d501047c7e2ce09cfd86ae351d6b697a42c56789c25a9ad048f2aa1b31e34522f1d4b6486ce188742f6450f251227367d0b287a8a95b32e29344e25969db38d713c6bc4c14d6d2d66f7a77644b495b177bd22cb9e51e7d20346c41f2d07dd160cca789417353233548bdc94e7895483c2a4776fbcee69af61a4dddad494db9913eb05b34a60b0c93ffebca5d86db3d3ffd6f1aafe72fd1c44546', NULL, NULL, NULL, 31, 1795748373661, 1795748373700, 0, NULL, 1, NULL, 0, 1, '2ba7917a-77c8-44f4-b7ff-67d5da9846aa', '8733dcac97a7c575a74e8a08cf0bdc5b15e23ae28b74bb9dcde2b323342d8d41');
INSERT INTO public.jobs VALUES ('dc53711e-717d-4f2b-abd8-208156f55491', 'task', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'completed', 'quotes_get', 'd2bb00f2ceef', '{"id":4}', NULL, '127.0.0.1:36725', 1, 1, 0, '\x780135cc4d0ac2301006d0ab0cdf3af4cfda42aea1e04244423b9a606dea645214f1eee2c2dd5bbd3752cc32f039cb040bafbad8b2ac9bbea88aaaa8eda6eb9b6df9c85139956e097fb63008236c6ba0fc5458ec3dd310b324a6782195cc34c59569e69585c63092e499d23d46f5050c5c561f051687304dc1dd69e7dd8dd3c24e18062f76025b775565a0ee9a608ff87d387dbe7d743a8a', NULL, NULL, NULL, 7, 1795748374048, 1795748374058, 1795748384049, NULL, 1, NULL, 0, 1, 'c003998d-d4cd-4969-8623-504eed51a404', 'f3917c99085fe052401ae7fa9d93a4cb8966a5c2b911a3a728b5344a048118f9');


INSERT INTO public.ledger VALUES ('c1ea67ba-62f6-4248-8ccd-04b980666a3d', 'd155eeea-1c73-40de-b0cc-a1ac4ac2e15e', 'grant', 500, NULL, 1795748370084);
INSERT INTO public.ledger VALUES ('595b929c-d913-4aa4-b1ab-119cfd53e167', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'grant', 1000, NULL, 1795748371394);
INSERT INTO public.ledger VALUES ('af8ed15f-d554-4ca7-90f3-ffc9f7162d73', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -1, 'e53c69d1-2281-4452-9921-f193376045fc', 1795748371776);
INSERT INTO public.ledger VALUES ('8295291d-1f50-46c1-8478-de3d52bc867e', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -1, '925d5629-62ea-4fa0-abd3-4706611505d2', 1795748372074);
INSERT INTO public.ledger VALUES ('89719f64-3c20-4e4a-8bba-5448191795c9', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -1, 'c59039d2-59a8-4e11-b7ac-9c9e04b0049c', 1795748372312);
INSERT INTO public.ledger VALUES ('13bc122e-a780-457d-9aa2-ddaf0a692844', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -1, 'f8aab3e1-bea3-4d47-9f4b-a2b9b25b5cd8', 1795748372313);
INSERT INTO public.ledger VALUES ('2c6e7d02-144f-405a-be6e-b75c160abcd7', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -2, '2486e20e-4d7f-4a33-acef-4da84878edd8', 1795748372646);
INSERT INTO public.ledger VALUES ('9ebed78b-8fc3-4e5b-8482-93947463d6e9', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -25, 'f1011d2c-fe29-4307-b828-e96b74d2db06', 1795748372856);
INSERT INTO public.ledger VALUES ('706f63f4-a690-4eb3-8be9-6081e413d43c', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -25, 'ca235209-46c2-44c9-885d-1084ff75bb5c', 1795748373243);
INSERT INTO public.ledger VALUES ('4d04d6c2-9ce6-4494-ad0f-8acefd2982d6', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'refund', 25, 'ca235209-46c2-44c9-885d-1084ff75bb5c', 1795748373266);
INSERT INTO public.ledger VALUES ('f067ea1a-5738-475f-8f73-bd30d3ae8ce2', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -1, 'd61bc2df-f647-40ac-85f1-234c26bcb2e1', 1795748373661);
INSERT INTO public.ledger VALUES ('17217fb7-9ff9-4bcb-a03d-a73ff41b0e5a', '0e40c07c-c733-4842-89cc-df3e4b3d3811', 'charge', -1, 'dc53711e-717d-4f2b-abd8-208156f55491', 1795748374048);


INSERT INTO public.publications VALUES (3);


INSERT INTO public.rate_limits VALUES ('login:0e40c07c-c733-4842-89cc-df3e4b3d3811', 1, 1795748432555);
INSERT INTO public.rate_limits VALUES ('requestBuild:0e40c07c-c733-4842-89cc-df3e4b3d3811', 2, 1795748432845);
INSERT INTO public.rate_limits VALUES ('listCatalogs:127.0.0.1', 3, 1795748431511);
INSERT INTO public.rate_limits VALUES ('search:127.0.0.1', 3, 1795748431513);
INSERT INTO public.rate_limits VALUES ('getCatalog:127.0.0.1', 6, 1795748431754);


INSERT INTO public.retention VALUES (0);


INSERT INTO public.service_schema_version VALUES (1178293895);


INSERT INTO public.users VALUES ('d155eeea-1c73-40de-b0cc-a1ac4ac2e15e', 'alice', 500, 1795748370082, NULL);
INSERT INTO public.users VALUES ('0e40c07c-c733-4842-89cc-df3e4b3d3811', 'default', 967, 1795748371390, NULL);


ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_pkey PRIMARY KEY (action_id, version);


ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);


ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.build_requests
    ADD CONSTRAINT build_requests_job_id_key UNIQUE (job_id);


ALTER TABLE ONLY public.build_requests
    ADD CONSTRAINT build_requests_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.catalogs
    ADD CONSTRAINT catalogs_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.catalogs
    ADD CONSTRAINT catalogs_slug_key UNIQUE (slug);


ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash);


ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_identity_id_credential_type_key UNIQUE (identity_id, credential_type);


ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_consent
    ADD CONSTRAINT gateway_consent_pkey PRIMARY KEY (principal, consent);


ALTER TABLE ONLY public.gateway_group
    ADD CONSTRAINT gateway_group_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_intent
    ADD CONSTRAINT gateway_intent_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_member
    ADD CONSTRAINT gateway_member_pkey PRIMARY KEY (group_id, "position");


ALTER TABLE ONLY public.gateway_profile
    ADD CONSTRAINT gateway_profile_pkey PRIMARY KEY (principal, subject, account);


ALTER TABLE ONLY public.gateway_result
    ADD CONSTRAINT gateway_result_pkey PRIMARY KEY (principal, job_id);


ALTER TABLE ONLY public.gateway_session
    ADD CONSTRAINT gateway_session_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_sign_in_page
    ADD CONSTRAINT gateway_sign_in_page_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_sign_in
    ADD CONSTRAINT gateway_sign_in_pkey PRIMARY KEY (principal, credential_id);


ALTER TABLE ONLY public.gateway_subject_key
    ADD CONSTRAINT gateway_subject_key_pkey PRIMARY KEY (issuer, subject);


ALTER TABLE ONLY public.gateway_task
    ADD CONSTRAINT gateway_task_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_watch_key
    ADD CONSTRAINT gateway_watch_key_pkey PRIMARY KEY (principal);


ALTER TABLE ONLY public.gateway_watch
    ADD CONSTRAINT gateway_watch_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.gateway_watch_run
    ADD CONSTRAINT gateway_watch_run_pkey PRIMARY KEY (watch_id, due_at);


ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_catalog_id_name_key UNIQUE (user_id, catalog_id, name);


ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_job_id_kind_key UNIQUE (job_id, kind);


ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (id);


ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);


ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);


ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


CREATE INDEX build_requests_by_user ON public.build_requests USING btree (user_id, created_at);


CREATE UNIQUE INDEX current_actions ON public.actions USING btree (action_id) WHERE (retired_at IS NULL);


CREATE INDEX gateway_consent_age ON public.gateway_consent USING btree (used_at);


CREATE UNIQUE INDEX gateway_group_open ON public.gateway_group USING btree (principal, call_hash) WHERE (open = 1);


CREATE INDEX gateway_group_recent ON public.gateway_group USING btree (principal, created_at);


CREATE INDEX gateway_intent_closed ON public.gateway_intent USING btree (created_at) WHERE (open = 0);


CREATE INDEX gateway_intent_completed ON public.gateway_intent USING btree (principal, subject, created_at) WHERE (outcome = 'completed'::text);


CREATE INDEX gateway_intent_job ON public.gateway_intent USING btree (job_id) WHERE (job_id IS NOT NULL);


CREATE INDEX gateway_intent_key_day ON public.gateway_intent USING btree (service_key, created_at);


CREATE UNIQUE INDEX gateway_intent_open ON public.gateway_intent USING btree (principal, call_hash) WHERE (open = 1);


CREATE INDEX gateway_intent_paid_for ON public.gateway_intent USING btree (paid_for) WHERE (paid_for IS NOT NULL);


CREATE INDEX gateway_intent_pending ON public.gateway_intent USING btree (service_key, subject) WHERE (state = ANY (ARRAY['intended'::text, 'submitted'::text, 'unknown'::text]));


CREATE INDEX gateway_intent_recent ON public.gateway_intent USING btree (principal, created_at);


CREATE INDEX gateway_member_row ON public.gateway_member USING btree (row_id) WHERE (row_id IS NOT NULL);


CREATE INDEX gateway_profile_age ON public.gateway_profile USING btree (updated_at);


CREATE INDEX gateway_result_age ON public.gateway_result USING btree (kept_at);


CREATE INDEX gateway_result_sizes ON public.gateway_result USING btree (principal, kept_at, job_id, size);


CREATE INDEX gateway_session_age ON public.gateway_session USING btree (used_at);


CREATE INDEX gateway_sign_in_page_account ON public.gateway_sign_in_page USING btree (principal, account, created_at);


CREATE INDEX gateway_task_age ON public.gateway_task USING btree (expires_at);


CREATE UNIQUE INDEX gateway_watch_call ON public.gateway_watch USING btree (principal, call_hash) WHERE (state <> 'ended'::text);


CREATE INDEX gateway_watch_principal ON public.gateway_watch USING btree (principal, created_at);


CREATE INDEX gateway_watch_run_open ON public.gateway_watch_run USING btree (watch_id) WHERE (outcome IS NULL);


CREATE INDEX gateway_watch_run_row ON public.gateway_watch_run USING btree (row_id) WHERE (row_id IS NOT NULL);


CREATE INDEX gateway_watch_run_told ON public.gateway_watch_run USING btree (watch_id, seq) WHERE (seq IS NOT NULL);


CREATE UNIQUE INDEX jobs_by_idempotency_key ON public.jobs USING btree (user_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);


CREATE INDEX jobs_by_status ON public.jobs USING btree (status);


CREATE INDEX jobs_by_user ON public.jobs USING btree (user_id, created_at);


CREATE INDEX jobs_to_run ON public.jobs USING btree (created_at) WHERE (status = 'processing'::text);


CREATE INDEX jobs_with_data ON public.jobs USING btree (finished_at) WHERE ((finished_at IS NOT NULL) AND ((result IS NOT NULL) OR (params IS NOT NULL)));


CREATE INDEX ledger_by_kind ON public.ledger USING btree (kind, amount);


CREATE INDEX ledger_by_user_and_time ON public.ledger USING btree (user_id, created_at);


ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_catalog_id_fkey FOREIGN KEY (catalog_id) REFERENCES public.catalogs(id);


ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_owner_fkey FOREIGN KEY (owner) REFERENCES public.users(id);


ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


ALTER TABLE ONLY public.build_requests
    ADD CONSTRAINT build_requests_catalog_id_fkey FOREIGN KEY (catalog_id) REFERENCES public.catalogs(id);


ALTER TABLE ONLY public.build_requests
    ADD CONSTRAINT build_requests_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id);


ALTER TABLE ONLY public.build_requests
    ADD CONSTRAINT build_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


ALTER TABLE ONLY public.catalogs
    ADD CONSTRAINT catalogs_owner_fkey FOREIGN KEY (owner) REFERENCES public.users(id);


ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);


ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES public.identities(id);


ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_catalog_id_fkey FOREIGN KEY (catalog_id) REFERENCES public.catalogs(id);


ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);



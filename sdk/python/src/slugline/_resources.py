"""The objects of a workspace besides links, and what is read: statistics, clicks, events."""

from ._api import api
from ._api.models import Click, Event
from ._operation import Call, File, Follow, Paged, Resource, S


class Tags(Resource[S]):
    list = Paged(api.list_tags)
    create = Call(api.create_tag)
    get = Call(api.get_tag)
    update = Call(api.update_tag)
    delete = Call(api.delete_tag)
    merge = Call(api.merge_tag)


class Folders(Resource[S]):
    list = Paged(api.list_folders)
    create = Call(api.create_folder)
    get = Call(api.get_folder)
    update = Call(api.update_folder)
    delete = Call(api.delete_folder)


class Domains(Resource[S]):
    list = Paged(api.list_domains)
    create = Call(api.create_domain)
    get = Call(api.get_domain)
    update = Call(api.update_domain)
    delete = Call(api.delete_domain)
    verify = Call(api.verify_domain)
    # What it still needs to serve links.
    setup = Call(api.get_domain_setup)
    # Visits of slugs that don't exist.
    misses = Paged(api.list_missed_visits)


class UtmTemplates(Resource[S]):
    list = Paged(api.list_utm_templates)
    create = Call(api.create_utm_template)
    get = Call(api.get_utm_template)
    update = Call(api.update_utm_template)
    delete = Call(api.delete_utm_template)


class Shares(Resource[S]):
    """Statistics that are shared by a secret URL."""

    list = Paged(api.list_shares)
    create = Call(api.create_share)
    get = Call(api.get_share)
    update = Call(api.update_share)
    delete = Call(api.delete_share)


class Keys(Resource[S]):
    """API keys. A created one is repeated only after 429: its response has the secret."""

    list = Paged(api.list_keys)
    create = Call(api.create_key)
    get = Call(api.get_key)
    update = Call(api.update_key)
    delete = Call(api.revoke_key)
    rotate = Call(api.rotate_key)


class Jobs(Resource[S]):
    list = Paged(api.list_jobs)
    get = Call(api.get_job)
    cancel = Call(api.cancel_job)


class Imports(Resource[S]):
    create = Call(api.import_links)
    preview = Call(api.preview_import)
    # Imports from a running service.
    from_service = Call(api.import_from_service)
    list = Paged(api.list_imports)
    get = Call(api.get_import)
    # Writes what a dry run has checked.
    start = Call(api.start_import)
    undo = Call(api.undo_import)
    rows = Paged(api.list_import_rows)
    export_rows_csv = File(api.export_import_rows)


class Webhooks(Resource[S]):
    """Webhooks. Requests whose response has the secret are repeated only after 429."""

    list = Paged(api.list_webhooks)
    create = Call(api.create_webhook)
    get = Call(api.get_webhook)
    update = Call(api.update_webhook)
    delete = Call(api.delete_webhook)
    rotate_secret = Call(api.rotate_webhook_secret)
    # Sends a sample of each type.
    test = Call(api.test_webhook)
    # Every type with its schema and a sample.
    event_types = Paged(api.list_webhook_event_types)
    deliveries = Paged(api.list_webhook_deliveries)
    replay_delivery = Call(api.replay_webhook_delivery)
    # Sends events again, in a job.
    replay = Call(api.replay_webhook)


class Logo(Resource[S]):
    get = Call(api.get_logo)
    set = Call(api.set_logo)
    delete = Call(api.delete_logo)


class Plans(Resource[S]):
    list = Paged(api.list_plans)


class Stats(Resource[S]):
    # Clicks of the workspace over time.
    get = Call(api.get_stats)
    # The top values of a dimension, such as `country`.
    top = Call(api.list_top_values)


class Clicks(Resource[S]):
    list = Paged(api.list_clicks)
    # New clicks, without an end.
    follow = Follow(api.stream_clicks, Click.from_dict)
    export_csv = File(api.export_clicks_csv)
    export_ndjson = File(api.export_clicks_ndjson)
    export_parquet = File(api.export_clicks_parquet)


class Events(Resource[S]):
    # One page; give `pagination.next_cursor` as `after` to go on.
    list = Call(api.list_events)
    # Every event after `after` (an event's id, `latest`, or absent: the oldest), once and in order,
    # without an end. Keep the id of the last one to go on after a restart.
    follow = Follow(api.stream_events, Event.from_dict)

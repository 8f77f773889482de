"""`slugline.links`"""

from ._api import api
from ._operation import Call, File, Paged, Resource, S


class Links(Resource[S]):
    """Links, with their history, statistics and QR codes."""

    list = Paged(api.list_links)
    create = Call(api.create_link)
    get = Call(api.get_link)
    update = Call(api.update_link)
    delete = Call(api.delete_link)

    # The link of a short URL.
    look_up = Call(api.look_up_link)
    get_by_external_id = Call(api.get_link_by_external_id)
    # Creates the link, or merges into the one that has this external id.
    put_by_external_id = Call(api.put_link_by_external_id)
    update_by_external_id = Call(api.update_link_by_external_id)
    delete_by_external_id = Call(api.delete_link_by_external_id)

    # Up to 1,000 operations; each has its own result unless `atomic`.
    bulk = Call(api.write_links)
    # Changes or deletes all links that a filter finds, in a job.
    bulk_by_filter = Call(api.change_links_by_filter)
    undo_by_filter = Call(api.undo_change_by_filter)
    list_deleted = Paged(api.list_deleted_links)
    history = Paged(api.get_link_history)
    restore = Call(api.restore_link)
    # Where a visitor would go, and why.
    explain = Call(api.explain_link)
    appeal = Call(api.appeal_block)

    # Clicks over time.
    stats = Call(api.get_link_stats)
    # The top values of a dimension, such as `country`.
    top = Call(api.list_link_top_values)
    clicks = Paged(api.list_link_clicks)
    # Deletes the clicks before a time.
    delete_clicks = Call(api.delete_link_clicks)

    qr_svg = Call(api.get_qr_code_svg)
    qr_png = Call(api.get_qr_code_png)
    export_csv = File(api.export_links_csv)
    export_ndjson = File(api.export_links_ndjson)
    # The history of all links.
    export_history = File(api.export_history)
    export_clicks_csv = File(api.export_link_clicks_csv)
    export_clicks_ndjson = File(api.export_link_clicks_ndjson)
    export_clicks_parquet = File(api.export_link_clicks_parquet)
